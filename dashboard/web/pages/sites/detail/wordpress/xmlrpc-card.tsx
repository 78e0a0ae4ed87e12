import { changeSite } from '#dashboard/web/api/site-work.ts'
import type { Site } from '#dashboard/web/api/sites.ts'
import { WorkDialog } from '#dashboard/web/features/sites/work-dialog.tsx'
import { AccessRow } from '#dashboard/web/pages/sites/detail/access/access-row.tsx'
import { Button } from '#dashboard/web/ui/button.tsx'
import { useDialog } from '#dashboard/web/ui/dialog.tsx'
import { Card } from '#dashboard/web/ui/page.tsx'

const ON =
  'xmlrpc.php answers, which Jetpack and older apps need. One address can send 60 requests a minute.'
const OFF = 'xmlrpc.php is closed: every request to it is refused.'
const TURN_ON =
  'Turn this on for Jetpack, for the WordPress app with a password, and for programs that publish by XML-RPC. Passwords can be guessed there as on the login page, 60 times a minute from one address.'
const TURN_OFF =
  'Jetpack, apps that use XML-RPC and pingbacks stop working. The REST API and the login page are not affected.'

/** The state of xmlrpc.php, and its switch. */
export function XmlrpcCard({ site }: { site: Site }) {
  const { dialog, show } = useDialog()
  const isOn = site.xmlrpc
  const action = isOn ? 'Turn XML-RPC off' : 'Turn XML-RPC on'
  return (
    <Card title="XML-RPC">
      <AccessRow name={isOn ? 'On' : 'Off'} about={isOn ? ON : OFF}>
        <Button onClick={show}>{action}</Button>
      </AccessRow>
      <WorkDialog
        {...dialog}
        title={`${action} for ${site.domain}?`}
        about={isOn ? TURN_OFF : TURN_ON}
        site={site}
        work={changeSite(site, { xmlrpc: !isOn })}
        action={action}
      />
    </Card>
  )
}
