import type { Site } from '#dashboard/web/api/sites.ts'
import { Text, Unknown } from '#dashboard/web/pages/sites/detail/fact.tsx'
import { Facts } from '#dashboard/web/ui/facts.tsx'
import { Card } from '#dashboard/web/ui/page.tsx'
import { ServerLink } from '#dashboard/web/ui/record-links.tsx'
import { Time } from '#dashboard/web/ui/time.tsx'
import { DiskUse } from './disk-use.tsx'

const FRAMEWORKS = {
  wordpress: 'WordPress',
  php: 'PHP',
  static: 'Static files',
}

export function FactsCard({ site }: { site: Site }) {
  const { server, server_id, user, docroot, email, framework, created_at } = site
  const { found, php, health, unknown } = site
  return (
    <Card title="Details">
      <Facts
        of={{
          Server: (
            <ServerLink id={server_id} className="text-accent hover:underline">
              {server}
            </ServerLink>
          ),
          Type:
            framework === 'unknown' ? (
              <Unknown of={unknown} fact="framework" usual="unknown" />
            ) : (
              FRAMEWORKS[framework]
            ),
          ...(found && { PHP: php || <Unknown of={unknown} fact="php" usual="none" /> }),
          ...(found && health === null && { Health: 'not checked' }),
          'System user': <Text of={user} what="the system user" />,
          Folder:
            docroot === '' ? (
              <Unknown of={unknown} fact="docroot" usual="–" />
            ) : (
              <Text of={docroot} what="the folder" />
            ),
          ...(!found && { Disk: <DiskUse of={site.disk} /> }),
          ...(!found && { Email: email || <span className="text-muted">–</span> }),
          [found ? 'First found' : 'Created']: <Time at={created_at} />,
        }}
      />
    </Card>
  )
}
