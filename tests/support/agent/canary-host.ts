import type { AttackVerdict } from '#agent/features/isolation/attack.ts'
import { INSIDE_ATTACKS } from '#agent/features/isolation/attacks/index.ts'
import { printed } from '#agent/kernel/host/simulated/programs/output.ts'
import type { FakeHost } from '#tests/support/fake-host.ts'
import { server, wpCli } from './debian.ts'

const ABOUT = { pid: 71, ppid: 70, prefix: 'abc_' }

export type Verdicts = Record<string, AttackVerdict>

/** The verdicts of attacks on a server without weaknesses, apart from `others`. */
export function verdicts(others: Verdicts = {}): Verdicts {
  const all = [...INSIDE_ATTACKS.keys()].map(
    (id) => [id, { outcome: 'refused', detail: '' }] as const,
  )
  return { ...Object.fromEntries(all), ...others }
}

/**
 * A server whose temporary sites answer like the scripts in them: `php` behind nginx, `job` in a
 * WordPress job, which never runs if it is undefined, and `cron` in a cron job.
 */
export async function canaryHost(
  php: Verdicts,
  job?: Verdicts,
  cron: Verdicts = verdicts(),
): Promise<FakeHost> {
  const host = await server()
  runsCronJobs(host, cron)
  await host.disk.write('/proc/70/status', 'Name:\tphp-fpm\nUid:\t1001\t1001\nCapPrm:\t0000\n')
  host.net.probe = async ({ host: domain, path }) => {
    const words = new URLSearchParams(path.split('?')[1])
    const body = await answerOf(host, words.get('do'), { php, job })
    return { status: 200, headers: {}, body: path === '/' ? `//${domain}/` : body }
  }
  host.table = { ...host.table, php: siteProgram }
  const { run } = host.shell
  host.shell.run = async (argv, options) => {
    const output = await run(argv, options)
    // Its account runs nothing with the rights of other accounts.
    return options?.input?.includes('isolation_') ? { ...output, stdout: '' } : output
  }
  return host
}

/** wp-cli, and the program that counts the unfinished requests that are still open. */
const siteProgram: FakeHost['table'][string] = (host, argv, options) =>
  argv.includes('-r') ? printed('0') : wpCli(host, argv, options)

function runsCronJobs(host: FakeHost, cron: Verdicts): void {
  const attempt = host.shell.try
  host.shell.try = async (argv, options) => {
    const output = await attempt(argv, options)
    if (argv[0] === 'systemctl' && /^hosting-job@.*:isolation\.service$/.test(argv.at(-1) ?? ''))
      await host.disk.write(`${homeOfAttacker(host)}/tmp/isolation-cron.json`, JSON.stringify(cron))
    return output
  }
}

async function answerOf(
  host: FakeHost,
  wanted: string | null,
  { php, job }: { php: Verdicts; job: Verdicts | undefined },
): Promise<string> {
  const home = homeOfAttacker(host)
  if (wanted === 'show') return JSON.stringify(ABOUT)
  if (wanted === 'try') return JSON.stringify(php)
  if (wanted === 'folders') return '20000'
  if (wanted === 'lock') await host.disk.write(`${home}/tmp/locked`, 'x')
  if (wanted === 'schedule' && job) {
    const slice = `0::/hosting.slice/hosting-${home.split('/').pop()?.replaceAll('-', '\\x2d')}.slice/`
    const text = JSON.stringify({ verdicts: job, cgroup: `${slice}job.service\n` })
    await host.disk.write(`${home}/tmp/isolation.json`, text)
  }
  return '[]'
}

function homeOfAttacker(host: FakeHost): string {
  const path = Object.keys(host.disk.all).find((name) => name.startsWith('/srv/www/canary-a'))
  return path?.split('/').slice(0, 4).join('/') ?? '/srv/www/nobody'
}
