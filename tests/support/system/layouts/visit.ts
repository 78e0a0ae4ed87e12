import type { Host } from '#tests/support/lab/index.ts'
import { MARKER } from './build.ts'
import type { Expected, LayoutOnDisk } from './layout.ts'

export interface Visit {
  host: string
  address: string
  port: number
  path: string
}

/** The reason of an answer that has not ended in a minute. */
export const NO_END = 'no end'

/** Requests each address from the server itself; prints a JSON list of answers. */
const CLIENT = `
$answers = [];
foreach (json_decode(stream_get_contents(STDIN), true) as $visit) {
  $tls = in_array($visit['port'], [443, 8443]);
  $context = stream_context_create(['ssl' => ['verify_peer' => false, 'verify_peer_name' => false, 'SNI_enabled' => true, 'peer_name' => $visit['host']]]);
  $place = ($tls ? 'tls' : 'tcp') . "://{$visit['address']}:{$visit['port']}";
  $socket = @stream_socket_client($place, $code, $reason, 10, STREAM_CLIENT_CONNECT, $context);
  if (!$socket) { $answers[] = ['status' => 0, 'body' => $reason]; continue; }
  stream_set_timeout($socket, 60);
  fwrite($socket, "GET {$visit['path']} HTTP/1.0\\r\\nHost: {$visit['host']}\\r\\nConnection: close\\r\\n\\r\\n");
  $answer = stream_get_contents($socket);
  if (stream_get_meta_data($socket)['timed_out']) { $answers[] = ['status' => 0, 'body' => '${NO_END}']; continue; }
  [$head, $body] = explode("\\r\\n\\r\\n", $answer, 2) + ['', ''];
  $answers[] = ['status' => (int) (explode(' ', $head)[1] ?? 0), 'body' => $body];
}
echo json_encode($answers, JSON_INVALID_UTF8_SUBSTITUTE);
`

/** The answer to a visitor of one name. */
export interface Seen {
  name: string
  status: number
  /** The folder that its marker names; empty: another answer. */
  folder: string
  script: Script | undefined
}

interface Script {
  folder: string
  php: string
  user: string
}

interface Question {
  site: Expected
  name: string
  visits: readonly Visit[]
}

/** The web server's own answer for each expected site: the folder, and PHP's user there. */
export async function visitAll(
  host: Host,
  layouts: readonly LayoutOnDisk[],
): Promise<ReadonlyMap<Expected, readonly Seen[]>> {
  const questions = layouts.flatMap((layout) =>
    layout.sites.flatMap((site) => site.names.map((name) => questionOf(layout, site, name))),
  )
  const answers = await request(
    host,
    questions.flatMap(({ visits }) => visits),
  )
  const seen = new Map<Expected, Seen[]>()
  for (const [at, { site, name }] of questions.entries()) {
    const [folder, script] = answers.slice(2 * at, 2 * at + 2)
    const marker = folder?.status === 200 && folder.body.startsWith('/') ? folder.body : ''
    const one = {
      name,
      status: script?.status ?? 0,
      folder: marker,
      script: scriptIn(script?.body),
    }
    seen.set(site, [...(seen.get(site) ?? []), one])
  }
  return seen
}

/** One answer for each; where there is none the status is 0, and the body the reason. */
export async function request(
  host: Host,
  visits: readonly Visit[],
): Promise<{ status: number; body: string }[]> {
  const input = JSON.stringify(visits)
  return JSON.parse(await host.must(['php', '-r', CLIENT], { input, timeout_ms: 300_000 }))
}

/** A static file and a script of the site. */
export const MARKERS = ['index.txt', 'marker.php'].map((file) => `/${MARKER}/${file}`)

function questionOf(layout: LayoutOnDisk, site: Expected, name: string): Question {
  return { site, name, visits: visitsOf(layout, site, name, MARKERS) }
}

/** The requests of visitors of a name. */
export function visitsOf(
  layout: LayoutOnDisk,
  site: Expected,
  name: string,
  paths: readonly string[],
): Visit[] {
  const host = layout.visit[name] ?? name.replace(/^\*\./, 'any.').replace(/\.\*$/, '.example')
  const secure = (site.tls ?? 'none') !== 'none' || site.unknown?.tls !== undefined
  const port = layout.port ?? (secure ? 443 : 80)
  const place = { host, address: layout.addresses[0] ?? '127.0.0.1', port }
  return paths.map((path) => ({ ...place, path }))
}

function scriptIn(body = ''): Script | undefined {
  if (!body.startsWith('["')) return undefined
  const [path = '', php = '', user = '']: string[] = JSON.parse(body)
  return { folder: path.replace(`/${MARKER}`, ''), php, user }
}
