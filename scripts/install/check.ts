import { lookup } from 'node:dns/promises'
import { existsSync } from 'node:fs'
import { readFile, statfs } from 'node:fs/promises'
import { dirname } from 'node:path'
import { checkFiles } from './certificate.ts'
import { processOf } from './health.ts'
import type { Machine } from './machine.ts'
import { claimedInNginx } from './nginx.ts'
import type { Settings } from './options.ts'
import { HOME } from './paths.ts'

const MIN_MEMORY_MB = 900
const MIN_DISK_MB = 2_000

/** Throws all obstacles before any change. */
export async function check(machine: Machine, settings: Settings): Promise<void> {
  const checks = [
    checkRoom(),
    checkPort(machine, settings),
    checkProxy(machine, settings),
    checkName(settings),
    settings.tls === 'files' && settings.proxy !== 'none' ? checkFiles(settings) : undefined,
  ]
  const results = await Promise.allSettled(checks)
  const failed = results.filter((result) => result.status === 'rejected')
  const texts = failed.map(({ reason }) => (reason instanceof Error ? reason.message : `${reason}`))
  if (texts.length > 0) throw new Error(texts.join('\nerror: '))
}

async function checkRoom(): Promise<void> {
  const memory = Number(/^MemTotal: +(\d+)/.exec(await readFile('/proc/meminfo', 'utf8'))?.[1])
  if (memory / 1024 < MIN_MEMORY_MB)
    throw new Error(`this server has ${Math.round(memory / 1024)} MB of memory: 1 GB is needed`)
  const folder = existsSync(HOME) ? HOME : dirname(HOME)
  const { bavail, bsize } = await statfs(folder)
  const free = Math.round((bavail * bsize) / 1e6)
  if (free < MIN_DISK_MB)
    throw new Error(`${folder} has ${free} MB of free space: ${MIN_DISK_MB} MB are needed`)
}

async function checkPort(machine: Machine, { port }: Settings): Promise<void> {
  const owner = await listenerOf(machine, port)
  if (owner === undefined || owner.pid === (await processOf(machine))) return
  throw new Error(`port ${port} is taken by ${owner.name}: choose another one with --port`)
}

async function checkProxy(machine: Machine, { domain, proxy }: Settings): Promise<void> {
  if (proxy === 'none') return
  for (const port of [80, 443]) {
    const owner = await listenerOf(machine, port)
    if (owner !== undefined && owner.name !== proxy)
      throw new Error(
        `port ${port} is taken by ${owner.name}: stop it, or use --proxy none behind it`,
      )
  }
  const claimed = proxy === 'nginx' ? await claimedInNginx(machine, domain) : undefined
  if (claimed) throw new Error(`${claimed}: remove that site, or choose another --domain`)
}

/** Returns the program that listens on a port; undefined for none. */
async function listenerOf(
  machine: Machine,
  port: number,
): Promise<{ name: string; pid: string } | undefined> {
  const argv = ['ss', '--listening', '--tcp', '--numeric', '--processes', '--no-header']
  const stdout = await machine.run([...argv, `sport = :${port}`], { reads: true })
  if (stdout.trim() === '') return undefined
  const [, name = 'another program', pid = ''] = /users:\(\("([^"]+)",pid=(\d+)/.exec(stdout) ?? []
  return { name, pid }
}

async function checkName({ domain, proxy, tls }: Settings): Promise<void> {
  if (tls !== 'acme' || proxy === 'none') return
  await lookup(domain).catch(() => {
    throw new Error(
      `${domain} has no address: create an A or AAAA record that points to this server, or use --tls self-signed`,
    )
  })
}
