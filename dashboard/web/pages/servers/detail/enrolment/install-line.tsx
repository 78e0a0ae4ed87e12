import { useState } from 'react'
import { Countdown } from '#dashboard/web/ui/elapsed.tsx'
import { Select } from '#dashboard/web/ui/field.tsx'
import { Notice } from '#dashboard/web/ui/notice.tsx'
import { Snippet } from '#dashboard/web/ui/snippet.tsx'
import type { FleetServerDetail } from '#shared/overview/api/fleet.ts'
import type { Enrolment } from '#shared/servers/api/enrolment.ts'
import { Step } from './step.tsx'

interface InstallLineProps {
  server: Pick<FleetServerDetail, 'hostname' | 'user'>
  enrolment: Enrolment
}

/** The install command, then the code. */
export function InstallLine({ server, enrolment }: InstallLineProps) {
  const { lines, code, expires_at, obstacle } = enrolment
  const [machine, setMachine] = useState(lines[0]?.machine)
  const chosen = lines.find((line) => line.machine === machine) ?? lines[0]
  if (!chosen)
    return (
      <Notice kind="bad" title="The dashboard has no build of the agent">
        Run <code className="font-mono">bun scripts/build-agent.ts --all</code> where the dashboard
        runs, then create a new code.
      </Notice>
    )
  return (
    <>
      {obstacle && (
        <Notice kind="bad" title={`The dashboard will not connect to ${server.hostname}`}>
          {obstacle}. Until this is solved, the line ends with an error. If the dashboard was
          installed by its script:{' '}
          <code className="font-mono">install-dashboard.sh --private-networks</code>
        </Notice>
      )}
      <Step at={1} title={`Paste this line into a shell on ${server.hostname}, as ${server.user}`}>
        {lines.length > 1 && (
          <Select
            aria-label="Kind of machine"
            value={chosen.machine}
            onChange={(event) => setMachine(event.target.value)}
            className="mb-2 w-auto"
          >
            {lines.map((line) => (
              <option key={line.machine}>{line.machine}</option>
            ))}
          </Select>
        )}
        <Snippet text={chosen.line} what="the line" />
        <p className="mt-2 text-xs text-muted">
          It downloads the agent from this dashboard, compares its SHA-256, starts it as a service
          and asks for the code. SHA-256 for {chosen.machine}:{' '}
          <code className="font-mono break-all">{chosen.sha256}</code>
        </p>
      </Step>
      <Step at={2} title="Type this code at the prompt">
        <Snippet text={code} what="the code" large />
        <p className="mt-2 text-xs text-muted">
          Valid for one server, once. It expires <Countdown to={expires_at} />, and is not shown
          again.
        </p>
      </Step>
    </>
  )
}
