import { changeSite } from '#dashboard/web/api/site-work.ts'
import type { Site } from '#dashboard/web/api/sites.ts'
import { WorkDialog } from '#dashboard/web/features/sites/work-dialog.tsx'
import { Button } from '#dashboard/web/ui/button.tsx'
import { useDialog } from '#dashboard/web/ui/dialog.tsx'
import { unicodeOf } from '#shared/kernel/unicode-domain.ts'

interface DatabaseRightsProps {
  site: Site
  canChange: boolean
}

const TABLES = 'Its account can use its own tables, which is all that WordPress needs.'
const ROUTINES =
  'Its account can also create views, stored routines, triggers and events, which a few plugins need.'
const MORE =
  'Turn this on only if a plugin reports that it cannot create a view, routine, trigger or event. Code in the database runs with the rights of this site.'
const FEWER =
  'Views, routines, triggers and events that exist stay in the database, but plugins that depend on them can stop working. Open connections of the site end.'

/** What the account of the site's database can create, and the switch for it. */
export function DatabaseRights({ site, canChange }: DatabaseRightsProps) {
  const { dialog, show } = useDialog()
  const isOn = site.database_routines
  const action = isOn ? 'Allow tables only' : 'Allow views and routines'
  return (
    <>
      {isOn ? 'tables, views and routines' : 'tables only'}
      <p className="text-xs text-muted">{isOn ? ROUTINES : TABLES}</p>
      {canChange && (
        <Button className="mt-1.5 max-w-full shrink! whitespace-normal!" onClick={show}>
          {action}
        </Button>
      )}
      <WorkDialog
        {...dialog}
        title={`${action} in the database of ${unicodeOf(site.domain)}?`}
        about={isOn ? FEWER : MORE}
        site={site}
        work={changeSite(site, { database_routines: !isOn })}
        action={action}
      />
    </>
  )
}
