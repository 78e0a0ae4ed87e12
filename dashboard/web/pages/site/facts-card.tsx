import { Link } from '@tanstack/react-router'
import type { Site } from '../../api/sites.ts'
import { Copy } from '../../ui/copy.tsx'
import { Facts } from '../../ui/facts.tsx'
import { Card } from '../../ui/page.tsx'
import { Time } from '../../ui/time.tsx'

const FRAMEWORKS = {
  wordpress: 'WordPress',
  php: 'PHP',
  static: 'Static files',
  unknown: 'Unknown',
}

export function FactsCard({ site }: { site: Site }) {
  const { server, server_id, user, docroot, db_name, email, framework, created_at, managed } = site
  return (
    <Card title="Facts">
      <Facts
        of={{
          Server: (
            <Link
              to="/servers/$server_id"
              params={{ server_id: String(server_id) }}
              className="text-accent hover:underline"
            >
              {server}
            </Link>
          ),
          Kind: managed ? FRAMEWORKS[framework] : `${FRAMEWORKS[framework]}, found on the server`,
          'System user': <Text of={user} what="the system user" />,
          Folder: <Text of={docroot} what="the folder" />,
          Database: <Text of={db_name} what="the name of the database" />,
          'E-mail': email || <span className="text-muted">–</span>,
          Created: <Time at={created_at} />,
        }}
      />
    </Card>
  )
}

function Text({ of, what }: { of: string; what: string }) {
  if (of === '') return <span className="text-muted">–</span>
  return (
    <span className="-my-2 flex items-center gap-1">
      <code className="min-w-0 text-xs break-all">{of}</code>
      <Copy text={of} what={what} />
    </span>
  )
}
