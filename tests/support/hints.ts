/** What makes a hint an operator's next action: it names a command to type or a file to open. */

/** Programs that a hint may tell to type; `install.sh` and the bundle's files stand for themselves. */
const PROGRAMS =
  /\b(?:monky-deployd (?:tick|run|plan|status|history|doctor|permissions|config check|help)|systemctl (?:start|restart|show)|journalctl -u|timedatectl|apt-get install|usermod -aG|chown|chmod|df -h|ls -ld|lslocks|ss -ltnp|sha256sum|bao (?:kv|read|policy|operator|audit|secrets|status)|docker (?:system|image|pull|network|volume|compose|buildx|ps|logs))/;

const FILES =
  /(?:\/usr\/bin\/monky-deployd|\binstall\.sh|\bdocs\/[A-Z]+\.md|\b(?:config\.yaml|manifest\.json|meta\.json|docker-compose\.yml)|\.env\.template)/;

/** Takes a hint; says whether it names a command or a file. */
export function isNextAction(hint: string): boolean {
  return PROGRAMS.test(hint) || FILES.test(hint);
}
