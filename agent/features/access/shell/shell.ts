import {
  endShells,
  GATE_GROUP,
  GATE_PROGRAM,
  gateOf,
  gateOptions,
  hasGate,
  hasShell,
  isGateChanged,
  planStart,
  RUN_FOLDER,
  socketUnitOf,
  templateOf,
  unitPath,
  WANTS_FOLDER,
  wantsPath,
  withoutGate,
} from '#agent/features/access/gate.ts'
import { renderGateKeys } from '#agent/features/access/keys.ts'
import { keysOf } from '#agent/features/access/places.ts'
import { withoutManager } from '#agent/features/access/user-manager.ts'
import { JOB_PROGRAM_FILES, JOB_PROGRAMS } from '#agent/features/jobs/cron/job-runner.ts'
import {
  type Change,
  declared,
  folder,
  generated,
  inOrder,
  linked,
  provided,
  removed,
  written,
} from '#agent/kernel/effects/change.ts'
import * as effects from '#agent/kernel/effects/effects.ts'
import { type Generated, MARK_LINE } from '#agent/kernel/effects/generated.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { homeOf } from '#agent/kernel/site/paths.ts'
import type { Site } from '#agent/kernel/site/sites.ts'
import { isMet, NEEDS } from '#shared/kernel/needs.ts'
import { CLIENT, CLIENT_TEXT, START_TEXT } from './client.ts'
import { SERVER, SERVER_TEXT } from './server.ts'
import { renderSession, renderSocket } from './units.ts'

const TMPFILES_FOLDER = '/etc/tmpfiles.d'
export const TMPFILES = `${TMPFILES_FOLDER}/hosting-shell.conf`
const RUN_MODE = 0o710

type Owner = Pick<Site, 'user' | 'php' | 'staging' | 'access'>

/** With the PHP of the site: the program of Debian would use that of the server. */
const COMPOSER = {
  path: `${JOB_PROGRAMS}/composer`,
  text: `#!/bin/sh\n# ${MARK_LINE}\nexec ${JOB_PROGRAMS}/php /usr/bin/composer "$@"\n`,
  options: { mode: 0o755 },
}

const filesOf = (site: Owner): Generated[] => [
  ...JOB_PROGRAM_FILES,
  COMPOSER,
  { path: GATE_PROGRAM, text: START_TEXT, options: { mode: 0o755 } },
  { path: CLIENT, text: CLIENT_TEXT },
  { path: SERVER, text: SERVER_TEXT },
  { path: TMPFILES, text: `# ${MARK_LINE}\nd ${RUN_FOLDER} 0710 root ${GATE_GROUP}\n` },
  { path: unitPath(templateOf(site.user)), text: renderSession(site) },
  { path: unitPath(socketUnitOf(site.user)), text: renderSocket(site) },
]

/** The account and the socket of the shell of a site; without a person who has it, neither. */
export function shellOf(host: Host, site: Owner): Change {
  const { user } = site
  if (!hasShell(site)) return withoutGate(host, user)
  const socket = socketUnitOf(user)
  const files = inOrder(
    folder(host, TMPFILES_FOLDER),
    folder(host, JOB_PROGRAMS),
    generated(host, filesOf(site)),
    folder(host, WANTS_FOLDER),
    linked(host, unitPath(socket), wantsPath(socket)),
    folder(host, RUN_FOLDER, { mode: RUN_MODE, group: GATE_GROUP }),
  )
  return inOrder(
    files,
    provided(
      async () => !(await hasGate(host, user)),
      declared([effects.create('user', gateOf(user))], () =>
        host.shell.run(['useradd', ...gateOptions(user, homeOf(user)), '--', gateOf(user)]),
      ),
    ),
    provided(
      () => isGateChanged(host, user, homeOf(user)),
      declared([effects.change('user', gateOf(user))], async () => {
        // usermod(8) refuses a home while processes of the user run.
        await endShells(host, user)
        const options = ['--home', homeOf(user), '--shell', GATE_PROGRAM]
        await host.shell.run(['usermod', ...options, '--', gateOf(user)])
      }),
    ),
    withoutManager(host, gateOf(user)),
    {
      effects: () => planStart(host, user),
      async apply() {
        await host.shell.run(['systemctl', 'daemon-reload'])
        await host.shell.run(['systemctl', 'start', socket])
      },
    },
  )
}

/** The keys of people with a shell; its account has no other way in. */
export function gateKeysOf(host: Host, { user, access = [] }: Owner): Change {
  const path = keysOf(gateOf(user))
  if (!hasShell({ access })) return removed(host, 'file', path)
  return written(host, path, renderGateKeys(access), { mode: 0o640, group: GATE_GROUP })
}

/** What a session finds follows the PHP version of its site; running sessions stay as they are. */
export const followed = (host: Host, site: Owner): Change =>
  provided(async () => hasShell(site) && isMet(NEEDS.shell, host), {
    effects: generated(host, filesOf(site)).effects,
    async apply() {
      await generated(host, filesOf(site)).apply()
      await host.shell.run(['systemctl', 'daemon-reload'])
    },
  })
