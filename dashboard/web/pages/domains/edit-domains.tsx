import { useState } from 'react'
import { setDomains } from '#dashboard/web/api/domains.ts'
import type { Site } from '#dashboard/web/api/sites.ts'
import { useDnsChoice } from '#dashboard/web/features/sites/dns-choice.tsx'
import { WorkDialog } from '#dashboard/web/features/sites/work-dialog.tsx'
import { CheckField } from '#dashboard/web/ui/check.tsx'
import type { DialogState } from '#dashboard/web/ui/dialog.tsx'
import { Field, TextArea } from '#dashboard/web/ui/field.tsx'
import type { SiteDomains } from '#shared/domains/api/domains.ts'
import { allNamesOf, pairOf, SiteNames } from '#shared/kernel/site-names.ts'
import { type Draft, draftOf, namesOf } from './draft.ts'
import { RedirectRows } from './redirect-rows.tsx'
import { useSettled } from './use-settled.ts'

const PAUSE_MS = 500

interface EditDomainsProps extends DialogState {
  site: Site
  domains: SiteDomains
}

/** Aliases and redirects: the plan follows a pause in typing. */
export function EditDomains({ site, domains, ...dialog }: EditDomainsProps) {
  const { primary } = domains
  const [draft, setDraft] = useState(() => draftOf(domains))
  const settled = useSettled(draft, PAUSE_MS)
  const { mistakes } = namesOf(primary, draft)
  const { names } = namesOf(primary, settled)
  const all = names ? allNamesOf({ domain: primary, names: SiteNames.parse(names) }) : []
  const records = useDnsChoice(site.server_id, dialog.open ? all : [])
  const change = (part: Partial<Draft>) => setDraft({ ...draft, ...part })
  const [, other] = pairOf(primary)
  return (
    <WorkDialog
      {...dialog}
      title={`Domains of ${primary}`}
      about="Point the DNS records of each name to this server first, so that it gets a certificate."
      site={site}
      work={
        draft === settled && names && !records.isOpen
          ? setDomains(site, { ...names, ...records.chosen })
          : undefined
      }
      action="Save domains"
    >
      {other !== undefined && (
        <CheckField
          label={`Redirect ${other} to ${primary}`}
          about="Otherwise both names show the site."
          checked={draft.redirectsWww}
          onChange={(redirectsWww) => change({ redirectsWww })}
        />
      )}
      <Field
        label="Aliases"
        name="aliases"
        hint="One name in each line, exactly as visitors type it: example.net and www.example.net are two names, and *.example.net is every name below example.net."
        error={mistakes.aliases}
      >
        <TextArea
          value={draft.aliases}
          autoCapitalize="none"
          onChange={({ target }) => change({ aliases: target.value })}
        />
      </Field>
      <RedirectRows
        primary={primary}
        value={draft.redirects}
        onChange={(redirects) => change({ redirects })}
        mistake={mistakes.redirects}
      />
      {records.fields}
    </WorkDialog>
  )
}
