import { Text, Unknown } from '#dashboard/web/pages/sites/detail/fact.tsx'
import type { TabProps } from '#dashboard/web/pages/sites/detail/tabs.tsx'
import { Facts } from '#dashboard/web/ui/facts.tsx'
import { Card } from '#dashboard/web/ui/page.tsx'
import { DatabasePassword } from './database-password.tsx'
import { DatabaseRights } from './database-rights.tsx'

export function DatabaseTab({ site, isThere }: TabProps) {
  const { db_name, found, unknown } = site
  return (
    <Card title="Database">
      <div className="flex flex-col gap-4">
        <Facts
          of={{
            Name:
              db_name === '' ? (
                <Unknown of={unknown} fact="db_name" usual="–" />
              ) : (
                <Text of={db_name} what="the database name" />
              ),
            ...(!found && { Rights: <DatabaseRights site={site} canChange={isThere} /> }),
          }}
        />
        {isThere && <DatabasePassword site={site} />}
      </div>
    </Card>
  )
}
