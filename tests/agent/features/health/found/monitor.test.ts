import { expect, test } from 'bun:test'
import { FoundMonitor } from '#agent/features/health/found/monitor.ts'
import type { VisitRequest, VisitResult } from '#agent/kernel/host/visit-port.ts'
import { eachFolder } from '#tests/support/each-folder.ts'
import { fakeHost } from '#tests/support/fake-host.ts'
import { authorityPem } from '#tests/support/fixtures/certificates.ts'
import { fill, onFiles } from '#tests/support/rooted-files.ts'

let root = ''
eachFolder((path) => {
  root = path
})

const site = (name: string, listen = '80') =>
  `server { listen ${listen}; server_name ${name}; root /var/www/${name}; }`

/** A machine with these servers; `asked` has the requests of its visitor. */
function machine(servers: string, files: Record<string, string> = {}) {
  fill(root, { '/etc/nginx/nginx.conf': `http { ${servers} }`, ...files })
  const host = onFiles(fakeHost(), root)
  const asked: VisitRequest[] = []
  const visit = host.visitor.visit.bind(host.visitor)
  host.visitor.visit = (visits) => {
    asked.push(...visits)
    return visit(visits)
  }
  return { host, asked, monitor: new FoundMonitor(host) }
}

const shown = (monitor: FoundMonitor) =>
  monitor.list().map(({ domain, state, code }) => `${domain} ${state} ${code}`)
const answer = (status: number): VisitResult => ({ status, headers: {}, body: '', ms: 20 })

test('requests the front page at the address, port and name that visitors use', async () => {
  const { asked, monitor } = machine(
    [
      site('a.example'),
      site('b.example', '443 ssl'),
      site('c.example', '10.0.0.5:80'),
      site('d.example', '[::]:80'),
      site('e.example', '8080'),
      'server { listen 80; listen 443 ssl; server_name f.example; root /var/www/f; }',
    ].join('\n'),
  )
  await monitor.visit(0)
  expect(asked.sort((one, other) => (one.host < other.host ? -1 : 1))).toEqual([
    { host: 'a.example', path: '/', tls: false },
    { host: 'b.example', path: '/', tls: true },
    { host: 'c.example', path: '/', tls: false, address: '10.0.0.5' },
    { host: 'd.example', path: '/', tls: false, address: '::1' },
    { host: 'e.example', path: '/', tls: false, port: 8080 },
    { host: 'f.example', path: '/', tls: true },
  ])
  expect(shown(monitor)).toEqual(
    ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => `${name}.example up up`),
  )
})

test('reads no file of a site, writes nothing, and contacts neither PHP-FPM nor the database', async () => {
  const { host, monitor } = machine(site('a.example'))
  const written: string[] = []
  host.files.write = async (path) => void written.push(path)
  await monitor.visit(0)
  expect([written, host.pinged, host.queries]).toEqual([[], [], []])
})

test('a site that the web server is configured to refuse is up, and is not requested', async () => {
  const { asked, monitor } = machine(
    'server { listen 80; server_name shut.example; root /var/www/shut; return 503; }',
  )
  await monitor.visit(0)
  expect(shown(monitor)).toEqual(['shut.example up http_closed'])
  expect(asked).toEqual([])
})

test('a site is down after two failed pages, not after one, and up again with its page', async () => {
  const { host, monitor } = machine(site('a.example'))
  await monitor.visit(0)
  host.visits.set('http://a.example/', answer(500))
  const visit = host.visitor.visit.bind(host.visitor)
  let failures = 1
  host.visitor.visit = (visits) =>
    failures-- > 0 ? visit(visits) : Promise.resolve(visits.map(() => answer(200)))
  host.time += 70_000
  await monitor.visit(0)
  expect(shown(monitor)).toEqual(['a.example up up'])

  failures = 2
  host.time += 70_000
  await monitor.visit(0)
  expect(shown(monitor)).toEqual(['a.example down http_error'])

  host.time += 35_000
  await monitor.visit(0)
  await monitor.visit(0)
  expect(shown(monitor)).toEqual(['a.example up up'])
})

test('many sites share the interval, including those of this agent', async () => {
  const many = Array.from({ length: 30 }, (_, at) => site(`s${at}.example`)).join('\n')
  const { host, asked, monitor } = machine(many)
  for (let round = 0; round < 4; round++) await monitor.visit(0)
  expect([asked.length, monitor.list().length]).toEqual([30, 30])
  const countIn = async (minutes: number, beside: number) => {
    const before = asked.length
    for (const end = host.time + minutes * 60_000; host.time < end; host.time += 5_000)
      await monitor.visit(beside)
    return asked.length - before
  }
  expect(await countIn(30, 0)).toBeGreaterThan(25 * 30)
  // 50 ms each of 600 sites: one each 600 seconds, a twentieth of the time.
  expect(await countIn(30, 570)).toBeLessThan(4 * 30)
})

test('reports a certificate that has expired or is for another name', async () => {
  const served = `server { listen 443 ssl; server_name NAME; root /var/www; ssl_certificate /etc/a.pem; }`
  const { host, monitor } = machine(
    `${served.replace('NAME', 'a.example')} ${served.replace('NAME', 'b.example')}`,
    { '/etc/a.pem': authorityPem },
  )
  await monitor.visit(0)
  expect(shown(monitor)).toEqual(['a.example up up', 'b.example degraded certificate_name'])
  host.set = Date.UTC(2127, 0, 1) - host.time
  host.time += 70_000
  await monitor.visit(0)
  expect(monitor.list()[0]).toEqual({
    ...{ domain: 'a.example', state: 'down', code: 'certificate_expired' },
    reason: 'Its certificate expired on 2126-10-27',
    checks: [
      { check: 'http', state: 'up', code: 'up', reason: '' },
      {
        ...{ check: 'certificate', state: 'down', code: 'certificate_expired' },
        reason: 'Its certificate expired on 2126-10-27',
      },
    ],
  })
})

test('stops reporting a removed site, and reports a new one', async () => {
  const { host, monitor } = machine(site('a.example'))
  await monitor.visit(0)
  fill(root, { '/etc/nginx/nginx.conf': `http { ${site('b.example')} }` })
  host.time += 6 * 60_000
  await monitor.visit(0)
  expect(shown(monitor)).toEqual(['b.example up up'])
})

test('omits states that are too old', async () => {
  const { host, monitor } = machine(site('a.example'))
  await monitor.visit(0)
  host.time += 16 * 60_000
  expect(shown(monitor)).toEqual(['a.example unknown not_checked'])
})
