# shellcheck shell=sh disable=SC2034,SC2154
# Takes monky-deployd away. Without --purge everything that is worth anything stays, and what runs
# goes on running; with it the containers go too, since nobody would look after them. Volumes, the
# mesh identity, Docker and the tunneler always stay.

step_stop() {
  units='monky-deployd.timer monky-deployd-run.service monky-deployd.service monky-deployd-proxy.service'
  if [ "$(package_state)" = '' ]; then
    as_it_is "monky-deployd is not installed"
    return 0
  fi
  would "stop the agent, after the step that it is at" || return 0
  for unit in $units; do
    systemctl --quiet disable "$unit" 2>/dev/null || :
    systemctl --quiet stop "$unit" 2>/dev/null || :
  done
}

step_containers() {
  found_env=$(yaml_value "$config_file" env_id)
  if [ "$opt_purge" = no ] || [ -z "$found_env" ]; then
    as_it_is "containers are left as they are"
    return 0
  fi
  project=$(yaml_value "$config_file" compose_project)
  project=${project:-monky-$found_env}
  plugin=$(compose_plugin)
  if [ -z "$plugin" ]; then
    remark "there is no compose plugin: containers of project $project, if any, were left"
    return 0
  fi
  would "remove the containers and networks of project $project; its volumes stay" || return 0
  host=$(yaml_value "$config_file" docker.host)
  # From a folder that holds no compose file and may be read.
  (cd / && DOCKER_HOST=${host:-unix://$root/var/run/docker.sock} "$plugin" -p "$project" down) \
    </dev/null >&2 || fail "the containers of project $project could not be removed, see above" \
      "look at the Docker Engine, then run the same command again"
}

compose_plugin() {
  named=$(yaml_value "$config_file" docker.compose)
  for file in $named $compose_plugins; do
    if [ -x "$file" ]; then
      printf '%s' "$file"
      return 0
    fi
  done
}

step_remove() {
  case $(package_state):$opt_purge in
    : | :* | config-files*:no)
      as_it_is "monky-deployd is not installed"
      ;;
    *:yes)
      would "remove monky-deployd with its config and state" || return 0
      mend_dpkg
      run_apt purge "$agent"
      ;;
    *)
      would "remove monky-deployd; config and state stay" || return 0
      mend_dpkg
      run_apt remove "$agent"
      ;;
  esac
}

# What the package does not know of.
step_leftovers() {
  if [ "$opt_purge" = no ]; then
    as_it_is "config, state and the right to read the identity stay"
    return 0
  fi
  would "withdraw the right to read the identity, remove what is left of config and state" || return 0
  if [ -d "$identity_dir" ] && getent passwd "$agent" >/dev/null && has setfacl; then
    setfacl -x "u:$agent" "$identity_dir"
    setfacl -d -x "u:$agent" "$identity_dir"
    # Copies that a renewal left hold keys too.
    for file in "$identity_dir"/*; do
      [ ! -f "$file" ] || setfacl -x "u:$agent" "$file"
    done
  fi
  rm -rf -- "$config_dir" "$state_dir"
}

step_laptop_stop() {
  would "stop the agent, after the step that it is at" || return 0
  for unit in monky-deployd.timer monky-deployd-run.service monky-deployd.service; do
    systemctl --user --quiet disable --now "$unit" 2>/dev/null || :
  done
}

step_laptop_remove() {
  would "remove the program and its units" || return 0
  rm -rf -- "$program_dir" "$program_dir.new" "${XDG_CACHE_HOME:-$HOME/.cache}/monky-deployd"
  rm -f -- "$command_file" "$unit_dir/monky-deployd.service" "$unit_dir/monky-deployd-run.service" \
    "$unit_dir/monky-deployd.timer"
  systemctl --user daemon-reload || :
  if [ "$opt_purge" = yes ]; then rm -rf -- "$config_dir" "$state_dir"; fi
}
