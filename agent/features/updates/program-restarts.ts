import { MAIL_UNIT } from '#agent/features/mail/service.ts'
import * as fpm from '#agent/features/php/fpm.ts'
import { awaitNoLongRequests } from '#agent/features/php/fpm-requests.ts'
import { replaceNginxProgram } from '#agent/features/web/replace-nginx-program.ts'
import { restartMariadb } from '#agent/kernel/database/mariadb.ts'
import * as effects from '#agent/kernel/effects/effects.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { CRON } from '#agent/kernel/services/debian-services.ts'
import { servicesOf } from '#agent/kernel/services/index.ts'
import { WHOLE_SERVER } from '#agent/kernel/steps/command.ts'
import { apexOf } from '#shared/kernel/names.ts'
import type { Effect } from '#shared/kernel/plan.ts'
import { oldPrograms } from './old-files.ts'
import { AGENT_UNIT, CACHE_PREFIX, FRONT_UNIT, type NamedService } from './services.ts'

/** The restart of one program that runs replaced files. */
export interface ProgramRestart {
  name: string
  /** The PHP version of a site, or all object caches: after a failure the group waits. */
  group: string
  /** The lock of the restart: see Command.lock. */
  key: string
  title: string
  effects: readonly Effect[]
  apply(): Promise<unknown>
}

type RestartMethod = Pick<ProgramRestart, 'key' | 'title'> & { apply(host: Host): Promise<unknown> }

/** Restarts that end running requests first: systemd or the former nginx holds the socket. */
const RESTART_METHODS: Record<string, RestartMethod> = {
  nginx: { key: 'service nginx', title: 'Replacing the running nginx', apply: replaceNginxProgram },
  cron: {
    key: 'service cron',
    title: 'Restarting cron',
    apply: (host) => servicesOf(host).restart(CRON),
  },
  'hosting-agent-front': {
    key: 'service hosting-agent-front',
    title: 'Restarting the listening half of the agent',
    apply: ({ shell }) => shell.run(['systemctl', 'restart', FRONT_UNIT]),
  },
  // Mail of sites waits in their sendmail meanwhile.
  'hosting-agent-mail': {
    key: 'service hosting-agent-mail',
    title: 'Restarting the queue of the mail of sites',
    apply: ({ shell }) => shell.run(['systemctl', 'restart', MAIL_UNIT]),
  },
  // Restarts between two operations: a restart would start their work again.
  'hosting-agent': {
    key: WHOLE_SERVER,
    title: 'Restarting the agent',
    apply: ({ shell }) => shell.run(['systemctl', 'restart', '--no-block', AGENT_UNIT]),
  },
}

/** The restart of MariaDB: interrupts every site for some seconds; only on request. */
const DATABASE = { key: 'service mariadb', title: 'Restarting MariaDB', apply: restartMariadb }

/** Returns the permitted restarts of programs with old files. The agent itself is the last. */
export async function programRestarts(host: Host, { database }: { database: boolean }) {
  // The rank follows the server's list of services.
  const rank = { service: 0, site: 1, agent: 2, other: 3 }
  const programs = (await oldPrograms(host)).sort((one, other) => rank[one.kind] - rank[other.kind])
  return programs.flatMap(({ name, known, main }): ProgramRestart[] => {
    const way = main && known && restartMethodOf(known, database)
    if (!way) return []
    const { key, title } = way
    const group = isCache(known) ? CACHE_PREFIX : known.site ? `PHP ${known.site.php}` : name
    const restart = [effects.run('restart', known.unit)]
    return [{ name, group, key, title, effects: restart, apply: () => way.apply(host) }]
  })
}

const isCache = ({ name }: NamedService) => name.startsWith(CACHE_PREFIX)

function restartMethodOf(known: NamedService, database: boolean): RestartMethod | undefined {
  const { name, unit, site } = known
  if (name === 'mariadb') return database ? DATABASE : undefined
  if (!site) return RESTART_METHODS[name]
  const { user, php, domain } = site
  if (isCache(known))
    return {
      key: apexOf(domain),
      title: `Restarting the object cache of ${domain}`,
      // A unit that was removed meanwhile is not started.
      apply: ({ shell }) => shell.run(['systemctl', 'try-restart', unit]),
    }
  return {
    key: apexOf(domain),
    title: `Restarting PHP ${php} of ${domain}`,
    async apply(host) {
      await awaitNoLongRequests(host, { user, php })
      const renew = servicesOf(host).holdsSockets ? fpm.restart : fpm.reload
      await renew(host, { user, php })
    },
  }
}
