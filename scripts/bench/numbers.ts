import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import process from 'node:process'
import { parseArgs } from 'node:util'
import type { Files, Host } from '#agent/host/ports.ts'
import { files } from '#agent/host/real/files.ts'
import { visitor } from '#agent/host/real/visitor.ts'
import { SETTINGS } from '#agent/host/simulated/settings.ts'
import { NumbersCollector } from '#agent/os/numbers/collector.ts'
import { fpmService, socketOf } from '#agent/os/php/fpm-files.ts'
import { logsOf } from '#agent/os/site/paths.ts'
import { type Site, writeSite } from '#agent/os/site/sites.ts'
import { fail } from '#scripts/lib/fail.ts'
import { NUMBERS } from '#shared/site-numbers.ts'
import { report } from './lib/figure.ts'
import { linesOf } from './numbers/lines.ts'

/** The share of one core. */
const PROMISED = 0.01
const ROUNDS = 20
const MINUTE_MS = 60_000

/**
 * Counts the numbers of 200 sites (`--sites 200`) with 60 requests each and a PHP-FPM that runs
 * (`--requests 60`), minute by minute, with the files and sockets of this machine below a temporary
 * folder. Exits with status 1 if a request is not counted, or is counted twice, or if a minute takes
 * more than 1 % of one core.
 */
async function bench(root: string, count: number, requests: number): Promise<boolean> {
  let now = Math.floor(Date.now() / MINUTE_MS) * MINUTE_MS
  const host = hostBelow(root, () => now)
  const sites = Array.from({ length: count }, (_, at) => siteOf(at))
  for (const site of sites) await layOut(host, root, site)
  const sockets = sites.map((site) => `${root}${socketOf(site)}`)
  await using _ = await answering(sockets)
  const numbers = new NumbersCollector(host)
  const throws = (error: unknown) => {
    throw error
  }
  await numbers.collect(throws)

  let cpu_ms = 0
  for (let round = 0; round < ROUNDS; round++) {
    for (const [at, { user }] of sites.entries())
      appendFileSync(`${root}${logsOf(user)}/access.log`, linesOf(now, requests, at))
    now += MINUTE_MS
    const before = process.cpuUsage()
    await numbers.collect(throws)
    numbers.list(now / 1000 - 60)
    const { user, system } = process.cpuUsage(before)
    cpu_ms += (user + system) / 1000
  }

  const counted = numbers.list(0)
  const sum = counted
    .flatMap(({ days }) => days)
    .reduce((all, { values }) => all + (values[NUMBERS.indexOf('requests')] ?? 0), 0)
  const active = counted
    .flatMap(({ minutes }) => minutes)
    .filter(({ values }) => values[NUMBERS.indexOf('active')] === 2).length
  const expected = count * requests * ROUNDS
  if (sum !== expected) throw new Error(`${sum} of ${expected} requests were counted`)
  if (active < count * ROUNDS) throw new Error(`The status of PHP-FPM was read ${active} times`)
  const share = cpu_ms / ROUNDS / MINUTE_MS
  console.log(`sites     ${count}, each with ${requests} requests a minute: all are counted once`)
  console.log(`a minute  ${(cpu_ms / ROUNDS).toFixed(0)} ms of the processor`)
  console.log(`share     ${(share * 100).toFixed(2)} % of one core (promised: ${PROMISED * 100} %)`)
  return report({
    ...{ name: 'share of one core', unit: '%', ours: share * 100 },
    at_most: PROMISED * 100,
  })
}

const siteOf = (at: number): Site => ({
  ...{ domain: `site-${at}.example`, user: `site${at}`, email: 'ann@site.example' },
  ...{ php: '8.4', tier: 'small', tls: 'none' },
})

async function layOut(host: Host, root: string, site: Site): Promise<void> {
  await writeSite(host, site)
  mkdirSync(`${root}${logsOf(site.user)}`, { recursive: true })
  writeFileSync(`${root}${logsOf(site.user)}/access.log`, '')
  const { processes } = fpmService(site)
  await host.files.write(processes, '7\n')
  const slice = processes.split('/').slice(0, -2).join('/')
  await host.files.write(`${slice}/memory.events`, 'low 0\nhigh 0\nmax 0\noom 0\noom_kill 0\n')
}

/** This machine, whose files and sockets are below a folder. */
function hostBelow(root: string, now: () => number): Host {
  const at = (path: string) => `${root}${path}`
  const below: Partial<Files> = {
    read: (path, most) => files.read(at(path), most),
    write: (path, text, { mode = 0o644 } = {}) => files.write(at(path), text, { mode }),
    part: (path, from, most) => files.part(at(path), from, most),
    list: (path) => files.list(at(path)),
    stat: (path) => files.stat(at(path)),
    mkdir: async (path) => void mkdirSync(at(path), { recursive: true }),
  }
  const measured = { code: 0, stdout: '', stderr: '' }
  return {
    files: below,
    visitor: { ...visitor, fpmStatus: (socket: string) => visitor.fpmStatus(at(socket)) },
    shell: { try: async () => measured },
    clock: { now, elapsed: now },
    settings: SETTINGS,
    init: 'systemd',
  } as unknown as Host
}

/** A program that answers on all sockets as PHP-FPM does. */
async function answering(sockets: readonly string[]): Promise<AsyncDisposable> {
  const argv = [process.execPath, new URL('./numbers/answering.ts', import.meta.url).pathname]
  const child = Bun.spawn(argv, { stdin: new Blob([sockets.join('\n')]), stdout: 'pipe' })
  const reader = child.stdout.getReader()
  await reader.read()
  return {
    async [Symbol.asyncDispose]() {
      child.kill()
      await child.exited
    },
  }
}

const { values } = parseArgs({
  options: {
    sites: { type: 'string', default: '200' },
    requests: { type: 'string', default: '60' },
  },
})
const root = mkdtempSync(`${tmpdir()}/numbers-`)
const isGood = await bench(root, Number(values.sites), Number(values.requests))
  .finally(() => rmSync(root, { recursive: true, force: true }))
  .catch(fail)
process.exit(isGood ? 0 : 1)
