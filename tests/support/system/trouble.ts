import { FILL } from '#scripts/bench/discovery/programs.ts'
import * as lab from '#tests/support/lab/index.ts'
import { startLayoutHost } from './layouts/host.ts'

const FUSE = '/dev/fuse'

/** A file system whose server never answers, as on a lost network. */
const HANG = `
exec 3<>${FUSE}
mount -i -t fuse -o fd=3,rootmode=40000,user_id=0,group_id=0,allow_other hung "$1"
exec sleep infinity
`

interface Site {
  domain: string
  framework: string
  unknown: Record<string, string>
}

/** A server with many sites and an agent on plain HTTP. */
export type Crowded = Awaited<ReturnType<typeof startCrowded>>

export async function startCrowded(sites: number) {
  const host = await startLayoutHost({ binds: [{ from: FUSE, to: FUSE }] })
  await host.must(['bash', '-eu', '-c', FILL, 'fill', String(sites)], { timeout_ms: 300_000 })
  await host.must(['systemctl', 'restart', 'nginx', 'php8.2-fpm', 'mariadb'])

  const ask = async (path: string, options: readonly string[] = []) => {
    const start = performance.now()
    const url = `http://127.0.0.1:8440${path}`
    const body = await host.must(['curl', '-sSf', '--max-time', '60', ...options, url])
    return { body, ms: performance.now() - start }
  }
  return {
    host,
    ask,
    /** Sites by framework, sites with an unknown framework and why, and the duration. */
    async sites() {
      const { body, ms } = await ask('/sites')
      const { sites } = JSON.parse(body) as { sites: Site[] }
      const counts: Record<string, number> = {}
      for (const { framework, unknown } of sites) {
        const key = unknown.framework ?? framework
        counts[key] = (counts[key] ?? 0) + 1
      }
      return { counts, ms }
    },
    /** The last event of a scan of one site. */
    async scan(domain: string) {
      const json = ['-H', 'content-type: application/json', '-d', JSON.stringify({ domain })]
      const { body, ms } = await ask('/sites/wp-scan', json)
      return { event: /^event: (\w+)$(?![\s\S]*^event: )/m.exec(body)?.[1], ms }
    },
    /** All files below a folder hang until the returned function is called. */
    async hang(folder: string): Promise<() => Promise<void>> {
      const server = host.spawn(['bash', '-eu', '-c', HANG, 'hang', folder])
      const mounted = async () =>
        (await host.must(['cat', '/proc/mounts'])).includes(` ${folder} fuse`)
      await lab.poll(mounted, { timeout_ms: 10_000 })
      return async () => {
        await server.stop('SIGKILL')
        await host.must(['umount', '--lazy', folder])
      }
    },
  }
}
