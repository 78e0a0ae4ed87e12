import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as lab from '#tests/support/lab/index.ts'
import { must } from '#tests/support/lab/run.ts'
import { exec, startAgent, startServer } from './agent.ts'

export const PHP = '8.2'
export const PRODUCT = 'shop.example.test'
export const BY_HAND = 'hand.example.test'

/** A Debian 12 server with one site of the agent, and the same WordPress, set up by hand. */
export interface Bench {
  host: lab.Host
  /** Runs a program of this machine in a network beside the server's, where both names resolve. */
  outside(argv: readonly string[]): Promise<string>
  close(): Promise<void>
}

export async function openBench(): Promise<Bench> {
  await lab.needPrograms({ wrk: 'wrk', curl: 'curl' })
  const host = await startServer('speed')
  const { netns } = await lab.switchUp()
  const names = join('/etc/netns', netns)
  const close = async () => {
    await rm(names, { recursive: true, force: true })
    await lab.switchDown()
  }
  try {
    await fill(host)
    // ip-netns(8): its files replace those of the same name below /etc.
    await mkdir(names, { recursive: true })
    await writeFile(join(names, 'hosts'), `${host.address} ${PRODUCT} ${BY_HAND}\n`)
    const outside = (argv: readonly string[]) => must(['ip', 'netns', 'exec', netns, ...argv])
    return { host, outside, close }
  } catch (error) {
    await close()
    throw error
  }
}

async function fill(host: lab.Host): Promise<void> {
  const agent = await startAgent(host)
  await exec(host, 'server.provision', { php_versions: [PHP] })
  const site = { domain: PRODUCT, php: PHP, tier: 'small', tls: 'self-signed', user: 'shop' }
  await exec(host, 'site.create', { ...site, email: 'owner@example.test' })
  // Its jobs of every minute are not part of the comparison.
  await agent.stop()
  await host.put('/opt/by-hand.sh', await Bun.file(join(import.meta.dirname, 'by-hand.sh')).text())
  await host.must(['sh', '/opt/by-hand.sh', PHP])
}
