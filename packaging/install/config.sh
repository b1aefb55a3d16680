# shellcheck shell=sh disable=SC2034,SC2154
# Config and bootstrap grant. A config that is there is the operator's: only keys whose options were
# given are changed in it, line by line, and the config as it was is kept beside.

# yaml_value FILE KEY: the scalar of a key (`transport`) or of a key in a section (`bao.ca`).
yaml_value() {
  [ -r "$1" ] || return 0
  awk -v path="$2" "$yaml_lines"'
    is_key { print plain; exit }' "$1"
}

# Reads a line of YAML in block style; is_key holds on the line of the wanted key, plain is its value.
# shellcheck disable=SC2016
yaml_lines='
  BEGIN { count = split(path, names, "."); key = names[count]; section = count == 2 ? names[1] : "" }
  /^[^ \t#]/ { inside = section != "" && $0 ~ ("^" section "[ ]*:") }
  {
    is_header = section != "" && $0 ~ ("^" section "[ ]*:[ ]*(#.*)?$")
    is_key = section == "" ? $0 ~ ("^" key "[ ]*:") : inside && $0 ~ ("^[ ]+" key "[ ]*:")
    plain = $0
    sub(/^[^:]*:[ ]*/, "", plain); sub(/[ ]+#.*$/, "", plain); gsub(/^["\x27]|["\x27]$/, "", plain)
  }'

# yaml_with KEY VALUE: copies standard input with the key set, all other lines as they are. Fails
# when the section is written in a way that lines cannot show.
yaml_with() {
  awk -v path="$1" -v value="$2" "$yaml_lines"'
    { lines[NR] = $0 }
    inside && section != "" && $0 ~ ("^" section) && !is_header { broken = 1 }
    is_header { header = NR }
    is_key { at = NR; indent = $0; sub(/[^ ].*$/, "", indent) }
    END {
      if (broken) exit 3
      for (n = 1; n <= NR; n++) {
        if (n == at) print indent key ": " value; else print lines[n]
        if (!at && n == header) print "  " key ": " value
      }
      if (at || header) exit
      if (section != "") { print section ":"; print "  " key ": " value } else print key ": " value
    }'
}

# What the box does after this run: the option, else the config that is there, else the default.
effective_transport() {
  transport=$opt_transport
  [ -n "$transport" ] || transport=$(yaml_value "$config_file" transport)
  printf '%s' "${transport:-sdk}"
}

# The keys of the options that were given, a line each.
wanted_keys() {
  printf '%s\n' "env_id $opt_env" "site $opt_site" "transport $(effective_transport)"
  [ -z "$opt_docker_data_root" ] || printf '%s\n' "docker.data_root $opt_docker_data_root"
  [ -z "$opt_bao_ca" ] || printf '%s\n' "bao.ca $ca_file"
  if [ "$opt_laptop" = yes ]; then
    printf '%s\n' "laptop_mode true" "state_dir $state_dir" "bootstrap_file $bootstrap_file" \
      "identity $identity_file" "sdk.bridge $bridge_dir/bridge.cjs"
  fi
}

differing_keys() {
  wanted_keys | while read -r key value; do
    found=$(yaml_value "$config_file" "$key")
    if [ "$key:$found" = transport: ]; then found=sdk; fi
    [ "$found" = "$value" ] || printf '%s ' "$key"
  done
}

step_config() {
  step_config_ca
  if [ ! -s "$config_file" ]; then
    would "write $config_file" || return 0
    # A box gets these folders from the package.
    if [ "$opt_laptop" = yes ]; then mkdir -p -- "$config_dir" "$state_dir"; fi
    write_config </dev/null
    return 0
  fi
  changed=$(differing_keys)
  if [ -z "$changed" ]; then
    as_it_is "$config_file says what the options say"
    return 0
  fi
  would "change in $config_file: ${changed% } (as it was: $config_file.before)" || return 0
  cp -p -- "$config_file" "$config_file.before"
  write_config <"$config_file.before"
}

step_config_ca() {
  if [ -z "$opt_bao_ca" ] || cmp -s -- "$opt_bao_ca" "$ca_file"; then return 0; fi
  would "copy OpenBao's CA to $ca_file" || return 0
  [ "$opt_laptop" = no ] || mkdir -p -- "$config_dir"
  put_file "$ca_file" 644 root:root <"$opt_bao_ca"
}

# Standard input is the config before; nothing for a new one. What the agent refuses is not put.
write_config() {
  draft=$config_dir/.config.draft
  cat >"$draft"
  [ -s "$draft" ] || printf '# Every key: config.example.yaml in /usr/share/doc/monky-deployd, docs/CONFIG.md\n' >"$draft"
  wanted_keys | while read -r key value; do
    [ "$(yaml_value "$draft" "$key")" != "$value" ] || continue
    yaml_with "$key" "$value" <"$draft" >"$draft.next" || exit 1
    mv -f -- "$draft.next" "$draft"
  done || refuse_config "$config_file has lines that this script does not know how to change"
  # The agent reads it as its own user.
  if [ "$opt_laptop" = no ]; then
    chown "root:$agent" "$draft"
    chmod 640 "$draft"
  fi
  if ! agent_command config check --config "$draft" >&2; then
    refuse_config "the agent does not accept the config that the options give, see above"
  fi
  mv -f -- "$draft" "$config_file"
}

refuse_config() {
  rm -f -- "$draft" "$draft.next"
  fail "$1; it is as it was" "write these keys by hand, then run the same command again: $(wanted_keys | tr '\n' ';')"
}

agent_command() {
  if [ "$opt_laptop" = yes ]; then "$command_file" "$@"; else monky-deployd "$@"; fi
}

# The sum of a grant tells whether it was staged before, and gives nothing away.
grant_is_known() {
  [ -n "$opt_bootstrap_file" ] && [ -s "$grant_mark" ] &&
    [ "$(cat -- "$grant_mark")" = "$(grant_sum)" ] && [ -e "$state_dir/session.json" ]
}

grant_sum() {
  sha256sum <"$opt_bootstrap_file" | cut -d ' ' -f 1
}

# The agent removes a grant that it has used, or remembers it: the same one is not laid down again.
step_grant() {
  if [ -z "$opt_bootstrap_file" ]; then
    as_it_is "the box has logged in before, or its grant is there"
    return 0
  fi
  if grant_is_known || cmp -s -- "$opt_bootstrap_file" "$bootstrap_file"; then
    as_it_is "this grant is there, or was used"
  else
    would "lay the bootstrap grant down for the next tick: $bootstrap_file" || return 0
    put_file "$bootstrap_file" 600 "$agent:$agent" <"$opt_bootstrap_file"
  fi
  # A run that was killed between the two left no mark.
  if [ "$opt_dry_run" = yes ] || [ "$(cat -- "$grant_mark" 2>/dev/null)" = "$(grant_sum)" ]; then
    return 0
  fi
  grant_sum | put_file "$grant_mark" 600 root:root
}
