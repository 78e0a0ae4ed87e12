import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { type Settings, settingsQuery } from '#dashboard/web/api/site-settings.ts'
import type { Site } from '#dashboard/web/api/sites.ts'
import { AccessRow } from '#dashboard/web/features/sites/access/access-row.tsx'
import { SettingsDialog } from '#dashboard/web/features/sites/settings-dialog.tsx'
import { XMLRPC_NAMES } from '#dashboard/web/features/sites/xmlrpc.ts'
import { Button } from '#dashboard/web/ui/button.tsx'
import { type DialogState, useDialog } from '#dashboard/web/ui/dialog.tsx'
import { Field, Select } from '#dashboard/web/ui/field.tsx'
import { Card } from '#dashboard/web/ui/page.tsx'
import { unicodeOf } from '#shared/kernel/unicode-domain.ts'
import { XMLRPC_MODES } from '#shared/sites/site-settings.ts'

type Mode = Settings['xmlrpc']

const MODES: Record<Mode, { name: string; about: string }> = {
  on: {
    name: XMLRPC_NAMES.on,
    about:
      'xmlrpc.php answers, which Jetpack and older apps need. One address can send 60 requests a minute; passwords can be guessed there as on the login page.',
  },
  jetpack: {
    name: XMLRPC_NAMES.jetpack,
    about:
      'xmlrpc.php answers only the addresses that Jetpack publishes. Behind a proxy or CDN, Jetpack is refused too.',
  },
  off: {
    name: XMLRPC_NAMES.off,
    about:
      'xmlrpc.php is closed: every request to it is refused. Jetpack, apps that use XML-RPC and pingbacks do not work. The REST API and the login page are not affected.',
  },
}

/** Who may call xmlrpc.php. */
export function XmlrpcCard({ site }: { site: Site }) {
  const { data } = useQuery(settingsQuery(site))
  const { dialog, show } = useDialog()
  const mode = data?.xmlrpc ?? (site.xmlrpc ? 'on' : 'off')
  return (
    <Card title="XML-RPC">
      <AccessRow {...MODES[mode]}>
        <Button onClick={show}>Change XML-RPC</Button>
      </AccessRow>
      {dialog.open && <Change site={site} mode={mode} {...dialog} />}
    </Card>
  )
}

function Change({ site, mode, ...dialog }: DialogState & { site: Site; mode: Mode }) {
  const [xmlrpc, setXmlrpc] = useState(mode)
  return (
    <SettingsDialog
      {...dialog}
      site={site}
      title={`XML-RPC of ${unicodeOf(site.domain)}`}
      about={MODES[xmlrpc].about}
      action="Change XML-RPC"
      input={{ xmlrpc }}
    >
      <Field name="xmlrpc" label="Who may call xmlrpc.php">
        <Select value={xmlrpc} onChange={({ target }) => setXmlrpc(target.value as Mode)}>
          {XMLRPC_MODES.map((value) => (
            <option key={value} value={value}>
              {MODES[value].name}
            </option>
          ))}
        </Select>
      </Field>
    </SettingsDialog>
  )
}
