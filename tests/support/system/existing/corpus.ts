import { createHash } from 'node:crypto'
import type { Host } from '#tests/support/lab/index.ts'
import { bash, build, prepare, putBase } from '#tests/support/system/layouts/build.ts'
import { type LayoutOnDisk, readLayouts } from '#tests/support/system/layouts/layout.ts'
import { MARKERS, NO_END, request, visitsOf } from '#tests/support/system/layouts/visit.ts'
import type { Watched } from './answers.ts'

const UNITS = ['php8.2-fpm', 'nginx', 'mariadb', 'cron'].map((unit) => `${unit}.service`)
/** Its nginx uses the agent's port; no agent is installed there. */
const ON_THE_PORT = 'phpmyadmin-on-8443'
const AT_ONCE = 4
const PATHS = ['/', ...MARKERS]

/** All layouts that share one nginx, on a server that has no agent yet. */
export async function prepareCorpus(host: Host): Promise<Watched> {
  const layouts = readLayouts().filter(
    ({ name, stage, alone, broken }) =>
      stage === 'nginx' && !alone && broken === undefined && name !== ON_THE_PORT,
  )
  await host.must(['mkdir', '-p', '/etc/caddy'])
  await prepare(host)
  await putBase(host)
  await build(host, layouts)
  await bash(host, [
    // The address of two layouts' containers: fails at once, without a timeout.
    'ip route add unreachable 172.18.0.0/16',
    'systemctl restart php8.2-fpm',
    'systemctl enable --now nginx mariadb',
  ])
  return { asked: [], units: UNITS, more: (asked) => answersOf(asked, layouts) }
}

/** The front page, a static file and a script of each name of each site. */
async function answersOf(host: Host, layouts: readonly LayoutOnDisk[]): Promise<string[]> {
  const visits = layouts.flatMap((layout) =>
    layout.expected.flatMap((site) =>
      site.names.flatMap((name) => visitsOf(layout, site, name, PATHS)),
    ),
  )
  const size = Math.ceil(visits.length / AT_ONCE)
  const parts = Array.from({ length: AT_ONCE }, (_, at) => visits.slice(at * size, (at + 1) * size))
  const answers = (await Promise.all(parts.map((part) => request(host, part)))).flat()
  // PHP-FPM may end an idle worker of an ondemand pool at the moment of a request, which then waits
  // for the next request to its pool.
  const late = answers.flatMap(({ status, body }, at) => (isLate(status, body) ? [at] : []))
  const again = await request(
    host,
    late.flatMap((at) => visits[at] ?? []),
  )
  for (const [n, at] of late.entries()) answers[at] = again[n] ?? { status: 0, body: '' }
  return visits.map(({ host: name, address, port, path }, at) => {
    const { status = 0, body = '' } = answers[at] ?? {}
    const digest = createHash('sha256').update(body).digest('hex').slice(0, 16)
    return `${name} at ${address}:${port}${path}: ${status} ${status === 0 ? body : digest}`
  })
}

const isLate = (status: number, body: string) => status === 504 || (status === 0 && body === NO_END)
