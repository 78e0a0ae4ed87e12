import { Plus } from 'lucide-react'
import type { Fleet } from '#dashboard/web/api/fleet.ts'
import { ButtonLink } from '#dashboard/web/ui/button.tsx'
import { Checklist } from '#dashboard/web/ui/checklist.tsx'

/** The steps before the first site, and the next one. */
export function FirstSteps({ fleet: { servers } }: { fleet: Fleet }) {
  const [server] = servers
  const isOnline = servers.some(({ status }) => status === 'online')
  const steps = [
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
  return <Checklist title="Get started" steps={steps} />
}
