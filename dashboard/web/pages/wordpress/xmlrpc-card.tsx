import { useQuery } from '@tanstack/react-query'
import { type Settings, settingsQuery } from '#dashboard/web/api/site-settings.ts'
import type { Site } from '#dashboard/web/api/sites.ts'
import { SettingChoice } from '#dashboard/web/features/sites/setting-choice.tsx'
import { XMLRPC_NAMES } from '#dashboard/web/labels/site-settings.ts'
import { Card } from '#dashboard/web/ui/page.tsx'

type Mode = Settings['xmlrpc']

const ABOUT: Record<Mode, string> = {
  on: 'xmlrpc.php answers, which Jetpack and older apps need. One address can send 60 requests a minute; passwords can be guessed there as on the login page.',
  jetpack:
    'xmlrpc.php answers only the addresses that Jetpack publishes. Behind a proxy or CDN, Jetpack is refused too.',
  off: 'xmlrpc.php is closed: every request to it is refused. Jetpack, apps that use XML-RPC and pingbacks do not work. The REST API and the login page are not affected.',
}

/** Who may call xmlrpc.php. */
export function XmlrpcCard({ site }: { site: Site }) {
  const { data } = useQuery(settingsQuery(site))
  const mode = data?.xmlrpc ?? (site.xmlrpc ? 'on' : 'off')
  return (
    <Card title="XML-RPC">
      <SettingChoice
        site={site}
        name="xmlrpc"
        inputOf={(xmlrpc) => ({ xmlrpc })}
        title="XML-RPC"
        heading={XMLRPC_NAMES[mode]}
        label="Who may call xmlrpc.php"
        action="Change XML-RPC"
        names={XMLRPC_NAMES}
        abouts={ABOUT}
        value={mode}
      />
    </Card>
  )
}
