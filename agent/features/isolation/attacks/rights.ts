import {
  type AttackVerdict,
  failed,
  refused,
  type SceneAttack,
  succeeded,
} from '#agent/features/isolation/attack.ts'
import { unsandboxed } from '#agent/features/isolation/scene.ts'
import { configsOf } from '#agent/features/isolation/scripts.ts'
import { findForeignObjects } from '#agent/kernel/database/audit.ts'
import { homeOf } from '#agent/kernel/site/paths.ts'
import { listSites } from '#agent/kernel/site/sites.ts'

const MAX_SHOWN = 5

/** Checks of modes, accounts and processes of the machine and of other sites. */
export const RIGHT_ATTACKS = {
  'files.modes': {
    severity: 'critical',
    title: 'Read other sites with the rights of its system user alone, outside the sandbox',
    meaning: 'Nothing but the sandbox of PHP keeps a site from the files of another one.',
    /** Uses find(1), which calls access(2) as the attacker's user. */
    async attempt({ host, attacker, neighbour }) {
      const homes = [neighbour, ...(await listSites(host))].map(({ user }) => homeOf(user))
      const folders = homes.flatMap((home) => [
        home,
        `${home}/public`,
        `${home}/logs`,
        `${home}/tmp`,
      ])
      const paths = [...(await configsOf(host, neighbour.user)), ...folders.slice(0, 2000)]
      const argv = ['find', ...paths, '-maxdepth', '0', '-readable', '-print']
      const { stdout } = await host.shell.try(unsandboxed(attacker, argv))
      return findingOf('could read', stdout.split('\n').filter(Boolean))
    },
  },
  'privileges.master': {
    severity: 'high',
    title: 'Find a PHP-FPM master with privileges above its processes',
    meaning: 'A fault in PHP-FPM itself makes a site root.',
    /** Finds the privileges of the master of the neighbour's PHP-FPM, as reported by the kernel. */
    async attempt({ host, about }) {
      const status = await host.files.read(`/proc/${about.ppid}/status`)
      if (status === undefined) return failed('its master ended before it was checked')
      const field = (name: string) => new RegExp(`^${name}:\\s+(\\S+)`, 'm').exec(status)?.[1] ?? ''
      const held = ['CapInh', 'CapPrm', 'CapEff', 'CapAmb'].filter((set) => /[^0]/.test(field(set)))
      const privileges = [...(field('Uid') === '0' ? ['runs as root'] : []), ...held]
      return findingOf('has', privileges)
    },
  },
  'sql.accounts': {
    severity: 'critical',
    title: 'Find an account of any site of this server that reaches beyond its own database',
    meaning: 'A site of this server reads or changes data of others.',
    /** Compares the rights that MariaDB lists for the users of all sites, and for all users. */
    async attempt({ host, attacker, neighbour }) {
      const users = [attacker, neighbour, ...(await listSites(host))].map(({ user }) => user)
      const rows = await host.database.admin('list_privileges')
      const known = new Set(users)
      const beyond = rows.flatMap(({ who, what, place, passes }) => {
        const user = /^'?([^'@]*)'?(@|$)/.exec(String(who))?.[1] ?? ''
        if (!known.has(user) && user !== 'PUBLIC' && user !== '') return []
        const own = String(place).replaceAll('\\', '') === user && passes !== 'YES'
        return own ? [] : [`${user || 'everybody'} (${what} on ${place})`]
      })
      return findingOf('has', [...new Set(beyond)])
    },
  },
  'sql.objects': {
    severity: 'high',
    title: 'Find views or stored code in the databases of sites that may have none',
    meaning: 'An earlier attack may have left code that runs with the rights of others.',
    /** Views and routines of sites whose setting allows them are no findings. */
    async attempt({ host, attacker, neighbour }) {
      const sites = await listSites(host)
      const allowed = new Set(
        sites.filter((site) => site.database_routines).map(({ user }) => user),
      )
      for (const { user } of [attacker, neighbour]) allowed.add(user)
      const { found: all, incomplete } = await findForeignObjects(host)
      const left = all.filter(({ database }) => !allowed.has(database))
      if (left.length === 0 && incomplete.length > 0) return failed(incomplete.join('; '))
      const names = left.map(({ kind, name, database }) => `${kind} ${name} in ${database}`)
      return findingOf('has', names)
    },
  },
} as const satisfies Record<string, SceneAttack>

function findingOf(did: string, names: readonly string[]): AttackVerdict {
  if (names.length === 0) return refused()
  const more = names.length > MAX_SHOWN ? ` and ${names.length - MAX_SHOWN} more` : ''
  return succeeded(`${did} ${names.slice(0, MAX_SHOWN).join(', ')}${more}`)
}
