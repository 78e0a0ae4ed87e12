import { CircleCheck, Plus } from 'lucide-react'
import type { ReactNode } from 'react'
import type { Fleet } from '#dashboard/web/api/fleet.ts'
import { ButtonLink } from '#dashboard/web/ui/button.tsx'
import { Card } from '#dashboard/web/ui/page.tsx'

/** The steps before the first site, and the next one. */
export function FirstSteps({ fleet: { servers } }: { fleet: Fleet }) {
  const [server] = servers
  const isOnline = servers.some(({ status }) => status === 'online')
  const steps: StepProps[] = [
    {
      title: 'Add a server',
      about: 'A machine with Debian 12 or 13 that you can log in to as root.',
      isDone: server !== undefined,
      action: (
        <ButtonLink to="/servers/new" kind="primary" icon={<Plus />}>
          Add a server
        </ButtonLink>
      ),
    },
    {
      title: 'Connect its agent',
      about: 'Paste the install command into a shell of the server. Existing sites appear here.',
      isDone: isOnline,
      action: server && (
        <ButtonLink
          to="/servers/$server_id"
          params={{ server_id: String(server.id) }}
          kind="primary"
        >
          Open server
        </ButtonLink>
      ),
    },
    {
      title: 'Create your first site',
      about: 'nginx, PHP and MariaDB are installed with it. You see the plan before it starts.',
      isDone: false,
      action: (
        <ButtonLink to="/sites/new" kind="primary" icon={<Plus />}>
          Create site
        </ButtonLink>
      ),
    },
  ]
  const next = steps.findIndex(({ isDone }) => !isDone)
  return (
    <Card title="Get started" flush>
      <ol className="divide-y divide-line">
        {steps.map((step, at) => (
          <Step key={step.title} step={step} number={at + 1} isNext={at === next} />
        ))}
      </ol>
    </Card>
  )
}

interface StepProps {
  title: string
  about: string
  isDone: boolean
  action: ReactNode
}

function Step({ step, number, isNext }: { step: StepProps; number: number; isNext: boolean }) {
  const { title, about, isDone, action } = step
  return (
    <li
      aria-current={isNext ? 'step' : undefined}
      className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-3"
    >
      {isDone ? (
        <CircleCheck className="size-6 shrink-0 text-good" aria-label="Done" />
      ) : (
        <span className="flex size-6 shrink-0 items-center justify-center rounded-full bg-accent-soft text-xs font-semibold text-accent">
          {number}
        </span>
      )}
      <span className="min-w-0 flex-1 basis-60">
        <span className="block font-medium">{title}</span>
        <span className="text-muted">{about}</span>
      </span>
      {isNext && action}
    </li>
  )
}
