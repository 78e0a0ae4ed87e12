import type { InsideAttack } from '#agent/features/isolation/attack.ts'

/** The socket of the root half of the agent. */
export const AGENT_SOCKET = '/run/hosting-agent/root.sock'

/** Attacks on sockets and addresses that a site must not reach. */
export const SOCKET_ATTACKS = {
  'sockets.fpm': {
    severity: 'critical',
    title: 'Connect to the PHP-FPM socket of its neighbour',
    meaning: 'A site runs code as its neighbour.',
    code: `
return connects('unix://' . $n['socket']) ? succeeded('connected to ' . $n['socket']) : refused();`,
  },
  // Without a relay there is no socket; folders that can be listed or written are still found.
  'sockets.mail': {
    severity: 'high',
    title: 'Send mail as its neighbour, and read the passwords of relays',
    meaning: 'A site sends mail in the name of another one, or takes over its relay.',
    code: `
if (connects('unix://' . $n['mail'])) return succeeded('connected to ' . $n['mail']);
$root = dirname($n['mail'], 3);
foreach (['settings', 'settings/sites', 'queue', 'status', 'sockets'] as $name) {
  if (@scandir("$root/$name") !== false) return succeeded("listed $root/$name");
}
if (@file_get_contents("$root/settings/server.json") !== false) return succeeded('read the setting of the server');
return is_writable(dirname($n['mail'])) ? succeeded('can write beside the socket') : refused();`,
  },
  'sockets.objects': {
    severity: 'critical',
    title: 'Connect to the object cache of its neighbour',
    meaning: 'A site reads what its neighbour stores, and writes objects that run as its code.',
    code: `
if (connects('unix://' . $n['objects'])) return succeeded('connected to ' . $n['objects']);
$folder = dirname($n['objects']);
if (@scandir($folder) !== false) return succeeded("listed $folder");
foreach ([$folder, dirname($folder)] as $path) {
  if (is_writable($path)) return succeeded("can write to $path");
}
return refused();`,
  },
  'sockets.purge': {
    severity: 'medium',
    title: 'Empty the page cache of its neighbour',
    meaning: 'A site slows its neighbour down.',
    code: `
if (connects('udg://' . $n['purge'])) return succeeded('connected to ' . $n['purge']);
$folder = dirname($n['purge']);
return @scandir($folder) !== false || is_writable($folder) ? succeeded("listed $folder") : refused();`,
  },
  'sockets.agent': {
    severity: 'critical',
    title: 'Connect to the socket of the agent',
    meaning: 'A site sends commands to the half of the agent that works as root.',
    code: `
$path = '${AGENT_SOCKET}';
return connects("unix://$path") ? succeeded("connected to $path") : refused();`,
  },
  // Tries every listening port: this process does not know the port of the agent.
  'agent.port': {
    severity: 'critical',
    title: 'Read the sites of the server from the port of the agent, without a proof',
    meaning: 'Every program of the server has the rights of the dashboard.',
    code: String.raw`
$ports = [8443];
foreach (['tcp', 'tcp6'] as $table) {
  preg_match_all('/^\s*\d+: \S+:([0-9A-F]{4}) \S+ 0A /m', (string) @file_get_contents("/proc/net/$table"), $found);
  foreach ($found[1] as $port) $ports[] = hexdec($port);
}
$ports = array_slice(array_diff(array_unique($ports), [22, 25, 53, 80, 443, 3306]), 0, 8);
foreach ($ports as $port) foreach (['tls', 'tcp'] as $scheme) {
  $answer = asks("$scheme://127.0.0.1:$port", "GET /sites HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n");
  if (preg_match('~^HTTP/1\.\d 200 ~', $answer) && str_contains($answer, '{"sites":')) {
    return succeeded("port $port answered");
  }
}
return refused();`,
  },
  // Where nothing listens, only an error of the kernel shows that a policy forbids the connection.
  'network.metadata': {
    severity: 'high',
    title: 'Connect to the metadata address 169.254.169.254',
    meaning: 'On a cloud server a site reads the credentials of the server.',
    code: `
$address = '169.254.169.254';
if (connects("tcp://$address:80")) return succeeded('connected to port 80');
error_clear_last();
$socket = @stream_socket_client("udp://$address:80", $code, $text, 1);
$sent = $socket !== false && @fwrite($socket, 'x') === 1;
$reason = $text . (error_get_last()['message'] ?? '');
if (!$sent && preg_match('/not permitted|errno=1 |denied/', $reason)) return refused('not permitted');
return absent($sent ? 'nothing answers there, and nothing forbids asking' : 'this server has no route there');`,
  },
} as const satisfies Record<string, InsideAttack>
