import { mkdtemp, readFile, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describeBuild, signBuild } from '#scripts/lib/release.ts'
import { machineOf } from '#shared/kernel/machines.ts'
import * as lab from '#tests/support/lab/index.ts'
import { startDashboard } from './dashboard.ts'
import { MINUTES } from './world.ts'

export const PROGRAM = '/usr/local/bin/hosting-agent'

/** A dashboard with builds set by a test, and a server with the agent of `install`. */
export type Upgrading = Awaited<ReturnType<typeof startUpgrading>>

export async function startUpgrading(name: string) {
  const folder = await mkdtemp(join(tmpdir(), 'builds-'))
  const { netns, address } = await lab.switchUp()
  const host = await lab.startHost({ name, suite: 'bookworm', init: 'systemd' })
  const dashboard = await startDashboard(netns, {
    address,
    env: { NODE_ENV: 'production', PRIVATE_ADDRESSES: 'allow', BUILDS_DIR: folder },
  })
  const added = await dashboard.call('POST', '/api/servers', { hostname: host.address })
  const path = `/api/servers/${(added.body.server as { id: number }).id}`
  const file = join(folder, 'hosting-agent')
  return {
    folder,
    host,

    /** The dashboard's build from now on. */
    async offer(
      program: string | Uint8Array,
      { version = '9.9.9', key = 'dist/development-key' } = {},
    ): Promise<void> {
      const draft = join(folder, 'draft')
      await Bun.write(draft, program)
      await rename(draft, file)
      const machine = machineOf(process.arch, await readFile('/proc/self/maps', 'utf8'))
      await describeBuild(file, { version, build: 0, machine })
      await signBuild(file, await readFile(key, 'utf8'))
    },

    /** Installs the offered agent as an administrator would. */
    async install(): Promise<void> {
      const { body } = await dashboard.call('POST', `${path}/enrolment`)
      const { code, lines } = body.enrolment as { code: string; lines: { line: string }[] }
      const args = /hosting-agent (enrol .*)$/.exec(lines[0]?.line ?? '')?.[1]?.split(' ') ?? []
      await host.put(PROGRAM, await Bun.file(file).bytes(), 0o755)
      await host.must([PROGRAM, 'install'])
      await host.must([PROGRAM, ...args], { input: `${code}\n`, timeout_ms: 3 * MINUTES })
    },

    /** The last event. */
    upgrade: async () => (await dashboard.stream('POST', `${path}/upgrade`)).at(-1),
    /** Status and message of a refused upgrade. */
    async refused() {
      const { status, body } = await dashboard.call('POST', `${path}/upgrade`)
      return [status, body.message]
    },
    sync: async () => (await dashboard.stream('POST', `${path}/sync`)).at(-1)?.event,
    version: async () => (await host.must([PROGRAM, 'version'])).trim(),

    async stop() {
      await dashboard.stop()
      await lab.switchDown()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
