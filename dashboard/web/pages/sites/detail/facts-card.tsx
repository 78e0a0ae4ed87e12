import { Link } from '@tanstack/react-router'
import type { Site } from '#dashboard/web/api/sites.ts'
import { Copy } from '#dashboard/web/ui/copy.tsx'
import { Facts } from '#dashboard/web/ui/facts.tsx'
import { Card } from '#dashboard/web/ui/page.tsx'
import { Time } from '#dashboard/web/ui/time.tsx'
import { unknownWords } from '#dashboard/web/ui/unknown-words.ts'

const FRAMEWORKS = {
  wordpress: 'WordPress',
  php: 'PHP',
  static: 'Static files',
}

export function FactsCard({ site }: { site: Site }) {
  const { server, server_id, user, docroot, db_name, email, framework, created_at } = site
  const { found, php, health, unknown } = site
  return (
    <Card title="Details">
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
          Kind:
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
          Database:
            db_name === '' ? (
              <Unknown of={unknown} fact="db_name" usual="–" />
            ) : (
              <Text of={db_name} what="the name of the database" />
            ),
          ...(!found && { Email: email || <span className="text-muted">–</span> }),
          [found ? 'First found' : 'Created']: <Time at={created_at} />,
        }}
      />
    </Card>
  )
}

interface UnknownProps {
  of: Site['unknown']
  fact: string
  /** When its agent gave no reason. */
  usual: string
}

/** Why there is no value. */
function Unknown({ of, fact, usual }: UnknownProps) {
  return <span className="text-muted">{unknownWords(of, fact) ?? usual}</span>
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
