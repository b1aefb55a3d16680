# shellcheck shell=sh disable=SC2034,SC2154
# The box's mesh identity: enrolled once, and readable for the agent for as long as it is renewed.

enrolment_is_due() {
  [ -n "$opt_enrol_jwt" ] && [ ! -s "$identity_file" ]
}

# The enrolment token works once, so what it gave is kept at every moment: a run that was killed
# between the answer and the last line here finds it in the .part file (facts: ziti §3).
step_identity() {
  part=$identity_file.part
  if [ -s "$identity_file" ]; then
    as_it_is "there is an identity: $identity_file"
    return 0
  fi
  if [ -z "$opt_enrol_jwt" ] && ! is_whole_identity "$part"; then
    if [ "$(effective_transport)" = sdk ]; then
      fail "there is no identity $identity_file" \
        "run this again with --enrol-jwt and the enrolment token of the install kit"
    fi
    as_it_is "no identity, and none is asked for: the tunneler has its own"
    return 0
  fi
  would "enrol the identity $identity_file" || return 0
  make_public_dir "$(dirname -- "$identity_dir")"
  [ -d "$identity_dir" ] || mkdir -m 750 -- "$identity_dir"
  if ! is_whole_identity "$part"; then enrol "$part"; fi
  if [ "$opt_laptop" = yes ]; then
    chmod 600 "$part"
  else
    give_to_tunneler "$part"
  fi
  # A tunneler that runs already looks for identities at its start alone: see start_tunneler.
  : >"$identity_dir/.enrolled"
  mv -f -- "$part" "$identity_file"
}

is_whole_identity() {
  [ -s "$1" ] && grep -q '"key"' "$1" && [ "$(tr -d '\n\r\t ' <"$1" | tail -c 1)" = '}' ]
}

enrol() {
  rm -f -- "$1"
  make_work_dir
  if has ziti-edge-tunnel; then
    ziti-edge-tunnel enroll --jwt "$opt_enrol_jwt" --identity "$1" </dev/null >"$work_dir/enrol.log" 2>&1 || :
  elif has ziti; then
    # This one removes the token that it is given, whatever comes of it.
    cp -- "$opt_enrol_jwt" "$work_dir/enrol.jwt"
    ziti edge enroll --jwt "$work_dir/enrol.jwt" --out "$1" </dev/null >"$work_dir/enrol.log" 2>&1 || :
    rm -f -- "$work_dir/enrol.jwt"
  else
    fail "there is no ziti-edge-tunnel to enrol with" "install it, then run the same command again"
  fi
  if is_whole_identity "$1"; then return 0; fi
  tail -n 5 "$work_dir/enrol.log" | hide_tokens >&2
  fail "the enrolment failed, see above: the controller is not reached, or the token was used or has expired" \
    "check network and clock; when the token was used before, reveal the install kit again"
}

# Whatever looks like a JWT in what a program printed.
hide_tokens() {
  sed 's/[A-Za-z0-9_-]\{8,\}\.[A-Za-z0-9_-]\{8,\}\.[A-Za-z0-9_-]*/[token]/g'
}

give_to_tunneler() {
  if getent passwd ziti >/dev/null; then
    chown ziti:ziti "$1"
    chmod 660 "$1"
    chown root:ziti "$identity_dir"
    chmod 770 "$identity_dir"
  fi
}

# An entry on the file alone is lost when renewal makes a new one: the folder's default gives it
# again, and the group bits let it through (measured, facts: ziti §3).
step_access() {
  if [ ! -s "$identity_file" ]; then
    as_it_is "there is no identity to read"
    return 0
  fi
  if access_is_given; then
    as_it_is "$agent may read the identity, also after its renewal"
    return 0
  fi
  would "let $agent read the identity, also after its renewal" || return 0
  for other in "$identity_dir"/*.json; do
    if [ -e "$other" ] && [ "$other" != "$identity_file" ]; then
      remark "$identity_dir holds other identities: $agent may read those that are made or renewed from now on"
      break
    fi
  done
  setfacl -m "u:$agent:x" "$identity_dir"
  setfacl -d -m "u:$agent:r" "$identity_dir"
  setfacl -m "u:$agent:r" "$identity_file"
}

access_is_given() {
  getfacl --absolute-names --omit-header "$identity_dir" 2>/dev/null | grep -q "^user:$agent:..x\$" &&
    getfacl --absolute-names --omit-header "$identity_dir" 2>/dev/null | grep -q "^default:user:$agent:r" &&
    getfacl --absolute-names --omit-header "$identity_file" 2>/dev/null | grep -q "^user:$agent:r--\$"
}
