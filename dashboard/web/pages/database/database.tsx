import { Text } from '#dashboard/web/features/sites/fact.tsx'
import type { TabProps } from '#dashboard/web/features/sites/tab-props.ts'
import { Facts } from '#dashboard/web/ui/facts.tsx'
import { Card } from '#dashboard/web/ui/page.tsx'
import { unknownText } from '#dashboard/web/ui/unknown-text.ts'
import { DatabasePassword } from './database-password.tsx'
import { DatabaseRights } from './database-rights.tsx'
import { ExportRow } from './export-row.tsx'
import { ImportRow } from './import-row.tsx'
import { ToolRow } from './tool-row.tsx'

export function DatabaseTab({ site, isOnServer }: TabProps) {
  const { db_name, found, unknown } = site
  return (
    <Card title="Database">
      <div className="flex flex-col gap-4">
        <Facts
          of={{
            Name: (
              <Text
                of={db_name}
                what="the database name"
                unknown={unknownText(unknown, 'db_name')}
              />
            ),
            ...(!found && { Rights: <DatabaseRights site={site} canChange={isOnServer} /> }),
          }}
        />
        {isOnServer && <DatabasePassword site={site} />}
        {isOnServer && !found && <ToolRow site={site} />}
        {isOnServer && !found && <ExportRow site={site} />}
        {isOnServer && !found && <ImportRow site={site} />}
      </div>
    </Card>
  )
}
