import {
  notApplicable,
  refused,
  type SceneAttack,
  succeeded,
} from '#agent/features/isolation/attack.ts'
import { byKey, escapes, runSftp } from '#agent/features/isolation/login.ts'
import { accessProblem, givePerson, keyOf, removePeople } from '#agent/features/isolation/person.ts'

/** Attacks by people with a key: see features/access/access.ts. */
export const PEOPLE_ATTACKS = {
  'ssh.people': {
    severity: 'critical',
    title: 'Leave a site through the SFTP login of a person',
    meaning:
      'A person of one site reads another one, or gets a shell, a socket or a network of the server.',
    async attempt(scene) {
      const { host, attacker, neighbour } = scene
      const reason = await accessProblem(host, 'sftp')
      if (reason !== undefined) return notApplicable(reason)
      try {
        await givePerson(host, neighbour, 'sftp')
        const login = await givePerson(host, attacker, 'sftp')
        const own = await runSftp(host, login, ['ls'])
        if (own.code !== 0) return notApplicable('the SSH server does not answer on this server')
        const other = byKey(neighbour.user, keyOf(host, attacker))
        const did = await escapes(scene, login, other)
        return did.length > 0 ? succeeded(`it ${did.join(', ')}`) : refused()
      } finally {
        for (const site of [attacker, neighbour]) await removePeople(host.steady ?? host, site)
      }
    },
  },
} as const satisfies Record<string, SceneAttack>
