import { MAIL_UNIT } from '#agent/features/mail/service.ts'
import * as fpm from '#agent/features/php/fpm.ts'
import { untilQuiet } from '#agent/features/php/fpm-quiet.ts'
import { renewNginx } from '#agent/features/web/renewal.ts'
import { restartMariadb } from '#agent/kernel/database/mariadb.ts'
import * as effects from '#agent/kernel/effects/effects.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { servicesOf } from '#agent/kernel/services/index.ts'
import { CRON } from '#agent/kernel/services/known.ts'
import { WHOLE_SERVER } from '#agent/kernel/steps/command.ts'
import { apexOf } from '#shared/kernel/names.ts'
import type { Effect } from '#shared/kernel/plan.ts'
import { oldPrograms } from './old-files.ts'
import { AGENT_UNIT, CACHE_OF, FRONT_UNIT, type NamedService } from './services.ts'

/** One program to restart with its updated files. */
export interface Renewal {
  name: string
  /** The PHP version of a site, or all object caches: after a failure, the others of it wait. */
  group: string
  /** The lock that it needs: see Command.lock. */
  key: string
  title: string
  effects: readonly Effect[]
  apply(): Promise<unknown>
}

type Way = Pick<Renewal, 'key' | 'title'> & { apply(host: Host): Promise<unknown> }

/** A running request ends first: systemd, or the former nginx, holds the socket meanwhile. */
const WAYS: Record<string, Way> = {
  nginx: { key: 'service nginx', title: 'Replacing the running nginx', apply: renewNginx },
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
  // Between two operations; a restart would start their work again.
  'hosting-agent': {
    key: WHOLE_SERVER,
    title: 'Restarting the agent',
    apply: ({ shell }) => shell.run(['systemctl', 'restart', '--no-block', AGENT_UNIT]),
  },
}

/** Interrupts every site for some seconds: only on request. */
const DATABASE = { key: 'service mariadb', title: 'Restarting MariaDB', apply: restartMariadb }

/** For each program with old files that this agent may restart. The agent itself is the last. */
export async function renewals(host: Host, { database }: { database: boolean }) {
  // In the order of the server's list of services.
  const rank = { service: 0, site: 1, agent: 2, other: 3 }
  const programs = (await oldPrograms(host)).sort((one, other) => rank[one.kind] - rank[other.kind])
  return programs.flatMap(({ name, known, main }): Renewal[] => {
    const way = main && known && wayOf(known, database)
    if (!way) return []
    const { key, title } = way
    const group = isCache(known) ? CACHE_OF : known.site ? `PHP ${known.site.php}` : name
    const restart = [effects.run('restart', known.unit)]
    return [{ name, group, key, title, effects: restart, apply: () => way.apply(host) }]
  })
}

const isCache = ({ name }: NamedService) => name.startsWith(CACHE_OF)

function wayOf(known: NamedService, database: boolean): Way | undefined {
  const { name, unit, site } = known
  if (name === 'mariadb') return database ? DATABASE : undefined
  if (!site) return WAYS[name]
  const { user, php, domain } = site
  if (isCache(known))
    return {
      key: apexOf(domain),
      title: `Restarting the object cache of ${domain}`,
      // One that was removed meanwhile stays so.
      apply: ({ shell }) => shell.run(['systemctl', 'try-restart', unit]),
    }
  return {
    key: apexOf(domain),
    title: `Restarting PHP ${php} of ${domain}`,
    async apply(host) {
      await untilQuiet(host, { user, php })
      const renew = servicesOf(host).holdsSockets ? fpm.restart : fpm.reload
      await renew(host, { user, php })
    },
  }
}
