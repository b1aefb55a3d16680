# shellcheck shell=sh disable=SC2034,SC2154
# The permission flags that a config yields, kept between two starts. Read by the launcher and by
# write-grants, who set lib, the folder of the program. The file lies where only root writes: the
# agent's user must not widen its own cage.

INSTALLED=/usr/lib/monky-deployd
AGENT_USER=monky-deployd
DEFAULT_CONFIG=/etc/monky-deployd/config.yaml
CACHE_FOLDER=/var/cache/monky-deployd
GRANTS_FOLDER=/run/monky-deployd
GRANTS=$GRANTS_FOLDER/grants

# The flags that every start has, one a line; the build fills them in from src/core/permissions.ts.
SEALED='@SEALED@'

# minimal_flags CONFIG: what a start needs that only says what is wrong with the config, or needs none.
minimal_flags() {
  printf '%s\n' "$SEALED" "--allow-read=$1"
}

# grants_key: two lines that change whenever the config or the program does. The time of the last
# change of the inode (%z) is one that no copy and no package sets.
grants_key() {
  stat -L -c '%d:%i:%s:%z' -- "$lib/main.js" "$DEFAULT_CONFIG" 2>/dev/null
}

# read_grants: sets flags from the file when it was made from this program and this config.
read_grants() {
  [ -r "$GRANTS" ] || return 1
  key=$(grants_key) || return 1
  {
    read -r of_program && read -r of_config && kept=$(cat)
  } <"$GRANTS" || return 1
  [ "$of_program
$of_config" = "$key" ] && [ -n "$kept" ] || return 1
  flags=$kept
}
