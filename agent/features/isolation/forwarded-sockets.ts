import { z } from 'zod'
import type { Host } from '#agent/kernel/host/ports.ts'
import type { Site } from '#agent/kernel/site/sites.ts'

/** The time limit, longer than the program waits for ssh and for each of six sockets. */
const LIMIT_MS = 180_000

const ReachedSockets = z.array(z.string()).nullable()

/**
 * A program of root. Its standard input is the argv of ssh, an unused folder, and the paths of
 * sockets of the server. It prints those that ssh reaches, or null if ssh never offered them. `ssh
 * -W` cannot do this: it forwards to ports only. A refused channel closes the connection; one that
 * stays open, or sends a greeting, is a connection to the socket. ssh ends by SIGKILL: ssh 9.2
 * sometimes misses a SIGTERM that arrives while it handles the last refusal, and then never ends.
 */
export const FORWARD_SOCKETS = `
['ssh' => $ssh, 'folder' => $folder, 'sockets' => $sockets] = json_decode(stream_get_contents(STDIN), true);
mkdir($folder, 0700);
$options = ['-N'];
foreach ($sockets as $at => $path) array_push($options, '-L', "$folder/$at:$path");
$null = ['file', '/dev/null', 'r+'];
$process = proc_open([array_shift($ssh), ...$options, ...$ssh], [$null, $null, STDERR], $pipes);
$last = "$folder/" . array_key_last($sockets);
for ($left = 1200; $left > 0 && !file_exists($last); $left--) {
  if (!is_resource($process) || !proc_get_status($process)['running']) break;
  usleep(50000);
  clearstatcache();
}
$reached = file_exists($last) ? [] : null;
$peers = [];
if ($reached !== null) foreach ($sockets as $at => $path) $peers[$path] = stream_socket_client("unix://$folder/$at");
foreach ($peers as $path => $peer) {
  stream_set_timeout($peer, 15);
  if (fread($peer, 1) !== '' || !feof($peer)) $reached[] = $path;
}
if (is_resource($process)) {
  proc_terminate($process, 9);
  proc_close($process);
}
foreach (array_keys($sockets) as $at) @unlink("$folder/$at");
rmdir($folder);
echo json_encode($reached);`

/** Returns the path of root's folder for the local ends of sockets, removed after a check. */
export const forwardedOf = (host: Host, { user }: Pick<Site, 'user'>) =>
  `${host.settings.state_dir}/forwarded-${user}`

interface SshConnection {
  /** The command line of ssh, without a command to run on the server. */
  argv: readonly string[]
  env: Record<string, string>
  /** The programs that ssh starts, and ssh itself. */
  starts: readonly string[]
}

/** Returns the sockets of the server that an SSH connection reaches. Throws without any login. */
export async function reachedSockets(
  host: Host,
  { user, php }: Site,
  { argv, env, starts }: SshConnection,
  sockets: readonly string[],
): Promise<string[]> {
  const folder = forwardedOf(host, { user })
  await host.files.remove(folder)
  const input = JSON.stringify({ ssh: argv, folder, sockets })
  const options = { env, input, unconfined: true, starts, timeout_ms: LIMIT_MS }
  const { code, stdout, stderr } = await host.shell.try(
    [`/usr/bin/php${php}`, '-n', '-r', FORWARD_SOCKETS],
    options,
  )
  const reached = code === 0 ? ReachedSockets.parse(JSON.parse(stdout)) : null
  const words = stderr.trim().split('\n').at(-1) || `status ${code}`
  if (reached === null) throw new Error(`ssh has forwarded no socket: ${words}`)
  return reached
}
