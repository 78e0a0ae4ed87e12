import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { settingsQuery } from '#dashboard/web/api/site-settings.ts'
import type { Site } from '#dashboard/web/api/sites.ts'
import { AccessRow } from '#dashboard/web/features/sites/access/access-row.tsx'
import { CSP_NAMES, HSTS_NAMES } from '#dashboard/web/features/sites/security-headers.ts'
import { SettingsDialog } from '#dashboard/web/features/sites/settings-dialog.tsx'
import { Button } from '#dashboard/web/ui/button.tsx'
import { type DialogState, useDialog } from '#dashboard/web/ui/dialog.tsx'
import { Field, Select } from '#dashboard/web/ui/field.tsx'
import { Card } from '#dashboard/web/ui/page.tsx'
import { QueryState } from '#dashboard/web/ui/states.tsx'
import { unicodeOf } from '#shared/kernel/unicode-domain.ts'
import { CSP_MODES, type Csp, HSTS_MODES, type Hsts } from '#shared/sites/site-settings.ts'

const CSP_ABOUT: Record<Csp, string> = {
  basic:
    'Browsers refuse foreign frames around the site, foreign base addresses and foreign objects, and load everything over https. A site that sends a policy itself has only that one.',
  report:
    'As Basic. Browsers also report in their console what a strict policy, which allows nothing from other hosts, would refuse.',
  off: 'Browsers get the policy that the site itself sends, if any.',
}

const HSTS_ABOUT: Record<Hsts, string> = {
  on: 'Browsers that have seen the site use https alone for a year. It needs a certificate that browsers trust.',
  subdomains:
    'Browsers that have seen the site use https alone for a year, for all of its subdomains too, also those on other servers.',
  off: 'Browsers forget that they must use https, with their next visit.',
}

/** The policies for browsers. */
export function SecurityHeadersCard({ site }: { site: Site }) {
  const { data, error, refetch } = useQuery(settingsQuery(site))
  return (
    <Card title="Security headers">
      <QueryState of={{ data, error, refetch }} rows={2} />
      {data && (
        <div className="flex flex-col gap-4">
          <CspRow site={site} csp={data.csp} />
          <HstsRow site={site} hsts={data.hsts} />
        </div>
      )}
    </Card>
  )
}

type CspProps = { site: Site; csp: Csp }

function CspRow(props: CspProps) {
  const { csp } = props
  const { dialog, show } = useDialog()
  return (
    <AccessRow name={`Content security policy: ${CSP_NAMES[csp]}`} about={CSP_ABOUT[csp]}>
      <Button onClick={show}>Change policy</Button>
      {dialog.open && <ChangeCsp {...props} {...dialog} />}
    </AccessRow>
  )
}

function ChangeCsp({ site, csp: before, ...dialog }: CspProps & DialogState) {
  const [csp, setCsp] = useState(before)
  return (
    <SettingsDialog
      {...dialog}
      site={site}
      title={`Content security policy of ${unicodeOf(site.domain)}`}
      about={CSP_ABOUT[csp]}
      action="Change policy"
      input={{ csp }}
    >
      <Field name="csp" label="Content security policy">
        <Select value={csp} onChange={({ target }) => setCsp(target.value as Csp)}>
          {CSP_MODES.map((value) => (
            <option key={value} value={value}>
              {CSP_NAMES[value]}
            </option>
          ))}
        </Select>
      </Field>
    </SettingsDialog>
  )
}

type HstsProps = { site: Site; hsts: Hsts }

function HstsRow(props: HstsProps) {
  const { hsts } = props
  const { dialog, show } = useDialog()
  return (
    <AccessRow name={`HSTS: ${HSTS_NAMES[hsts]}`} about={HSTS_ABOUT[hsts]}>
      <Button onClick={show}>Change HSTS</Button>
      {dialog.open && <ChangeHsts {...props} {...dialog} />}
    </AccessRow>
  )
}

function ChangeHsts({ site, hsts: before, ...dialog }: HstsProps & DialogState) {
  const [hsts, setHsts] = useState(before)
  return (
    <SettingsDialog
      {...dialog}
      site={site}
      title={`HSTS of ${unicodeOf(site.domain)}`}
      about={HSTS_ABOUT[hsts]}
      action="Change HSTS"
      input={{ hsts }}
    >
      <Field name="hsts" label="Only https for a year">
        <Select value={hsts} onChange={({ target }) => setHsts(target.value as Hsts)}>
          {HSTS_MODES.map((value) => (
            <option key={value} value={value}>
              {HSTS_NAMES[value]}
            </option>
          ))}
        </Select>
      </Field>
    </SettingsDialog>
  )
}
