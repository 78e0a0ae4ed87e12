import { linkOf, shellAccountOf, socketOf } from '#agent/features/access/shell-account.ts'
import { environmentOf } from '#agent/features/jobs/cron/own-files.ts'
import { MARK_LINE } from '#agent/kernel/effects/generated.ts'
import { sandboxOf } from '#agent/kernel/sandbox/sandbox.ts'
import { sliceOf } from '#agent/kernel/services/systemd.ts'
import { docrootOf, homeOf } from '#agent/kernel/site/paths.ts'
import type { Site } from '#agent/kernel/site/sites.ts'
import { environmentWord, unit } from '#shared/kernel/formats/systemd.ts'
import { SERVER, SILENCE } from './server.ts'

type SessionSite = Pick<Site, 'user' | 'php' | 'staging'>

const MAX_SESSIONS = 16
const MAX_HOURS = 24

/** systemd itself starts each session: no program of root takes part that a person could attack. */
export const renderSocket = ({ user }: SessionSite): string => unit`# ${MARK_LINE}
[Unit]
Description=Shell of ${user}

[Socket]
ListenStream=${socketOf(user)}
Symlinks=${linkOf(user)}
SocketUser=${shellAccountOf(user)}
SocketMode=0600
Accept=yes
MaxConnections=${MAX_SESSIONS}
TriggerLimitIntervalSec=0
RemoveOnStop=yes

[Install]
WantedBy=sockets.target
`

/** Renders the unit of a session, confined like the PHP of the site. Its home belongs to root. */
export function renderSession(site: SessionSite): string {
  const { user } = site
  const variables = Object.entries({
    ...Object.fromEntries(environmentOf(site)),
    HOME: `${homeOf(user)}/tmp/shell`,
    USER: user,
    LOGNAME: user,
    SHELL: '/bin/bash',
  })
  return unit`# ${MARK_LINE}
[Unit]
Description=Shell of ${user}
CollectMode=inactive-or-failed

[Service]
Slice=${sliceOf(user)}
${variables.map(([name, value]) => unit`Environment=${environmentWord(name, value)}`).join('\n')}
WorkingDirectory=-${docrootOf(user)}
ExecStart=/usr/bin/perl ${SERVER}
StandardInput=socket
StandardOutput=null
StandardError=null
NotifyAccess=main
WatchdogSec=${SILENCE}
WatchdogSignal=SIGKILL
SuccessExitStatus=1 SIGKILL
RuntimeMaxSec=${MAX_HOURS}h
TimeoutStopSec=5
KillMode=control-group
SendSIGHUP=yes
OOMPolicy=continue
UMask=0027
MemoryMax=1024M
TasksMax=128
${sandboxOf(user, { terminals: true, notify: true }).join('\n')}
`
}
