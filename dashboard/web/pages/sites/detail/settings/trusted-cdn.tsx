import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { domainStatesQuery } from '#dashboard/web/api/domains.ts'
import type { Settings } from '#dashboard/web/api/site-settings.ts'
import type { Site } from '#dashboard/web/api/sites.ts'
import { AccessRow } from '#dashboard/web/features/sites/access/access-row.tsx'
import { SettingsDialog } from '#dashboard/web/features/sites/settings-dialog.tsx'
import { Button } from '#dashboard/web/ui/button.tsx'
import { type DialogState, useDialog } from '#dashboard/web/ui/dialog.tsx'
import { Field, Select } from '#dashboard/web/ui/field.tsx'
import { unicodeOf } from '#shared/kernel/unicode-domain.ts'
import { CDNS } from '#shared/sites/cdn.ts'

interface Props {
  site: Site
  trusted: Settings['trusted_cdn']
}

/** The CDN in front of the site, which names each visitor. */
export function TrustedCdnRow({ site, trusted }: Props) {
  const { dialog, show } = useDialog()
  const { data } = useQuery({ ...domainStatesQuery(site), enabled: site.status === 'active' })
  const found = data?.names.find(({ name }) => name === site.domain)?.cdn
  return (
    <AccessRow
      name={trusted ? `${trusted} reports visitor addresses` : 'Visitors connect directly'}
      about={aboutOf(trusted, found ?? null)}
    >
      <Button onClick={show}>Change CDN</Button>
      {dialog.open && <Choice site={site} trusted={trusted} found={found ?? null} {...dialog} />}
    </AccessRow>
  )
}

function aboutOf(trusted: Settings['trusted_cdn'], found: string | null): string {
  if (trusted)
    return `Limits, logs and PHP use the address that ${trusted} reports. The header is ignored in requests from other networks.`
  return found === null
    ? 'Limits, logs and PHP use the address of the connection.'
    : `${found} is in front of this site: limits, logs and PHP use its addresses instead of those of visitors.`
}

type ChoiceProps = Props & DialogState & { found: string | null }

function Choice({ site, trusted, found, ...dialog }: ChoiceProps) {
  const [name, setName] = useState(trusted ?? CDNS.find((cdn) => cdn === found) ?? '')
  return (
    <SettingsDialog
      {...dialog}
      site={site}
      title={`CDN in front of ${unicodeOf(site.domain)}`}
      about="nginx takes the address of a visitor from the header of this network. Requests from other networks keep the address of their connection."
      action="Save CDN"
      input={{ trusted_cdn: CDNS.find((cdn) => cdn === name) ?? null }}
    >
      <Field
        name="cdn"
        label="CDN"
        hint={
          found === null ? 'The tab Domains shows where DNS points.' : `DNS points to ${found}.`
        }
      >
        <Select value={name} onChange={({ target }) => setName(target.value)}>
          <option value="">None: visitors connect directly</option>
          {CDNS.map((cdn) => (
            <option key={cdn} value={cdn}>
              {cdn}
            </option>
          ))}
        </Select>
      </Field>
    </SettingsDialog>
  )
}
