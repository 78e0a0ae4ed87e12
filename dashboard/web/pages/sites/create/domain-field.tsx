import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { typedSitesQuery } from '#dashboard/web/api/sites.ts'
import { TextField } from '#dashboard/web/ui/field.tsx'
import { apexOf, canonicalDomain } from '#shared/kernel/names.ts'
import { unicodeOf } from '#shared/kernel/unicode-domain.ts'
import type { FleetSite } from '#shared/overview/api/fleet.ts'

interface DomainFieldProps {
  value: string
  onChange: (domain: string) => void
  /** The chosen server. */
  server_id: number | undefined
  /** What is wrong with it, by the rules that the dashboard has. */
  mistake: string | undefined
  /** The refusal of the dashboard. */
  refusal: string | undefined
  /** Mistakes are shown before the field has lost the focus. */
  isStrict: boolean
}

/** The domain, checked while it is typed; letters beyond ASCII are shown in their DNS form. */
export function DomainField({ value, onChange, server_id, ...props }: DomainFieldProps) {
  const { mistake, refusal, isStrict } = props
  const [wasVisited, setVisited] = useState(false)
  const canonical = canonicalDomain(value.trim())
  const { taken, also } = useName(mistake === undefined ? canonical : undefined, server_id)
  const isShown = isStrict || (wasVisited && value !== '')
  return (
    <TextField
      label="Domain"
      name="domain"
      hint={also ?? hintOf(value.trim(), canonical)}
      error={refusal ?? taken ?? (isShown ? mistake : undefined)}
      value={value}
      onChange={onChange}
      onBlur={() => setVisited(true)}
      placeholder="shop.example.com"
      autoCapitalize="none"
      inputMode="url"
      autoFocus
    />
  )
}

function hintOf(typed: string, canonical: string | undefined): string {
  if (canonical === undefined) return 'Without http:// and without a path. www. works as well.'
  const spelled = unicodeOf(canonical)
  if (spelled !== canonical) return `${spelled}, in DNS ${canonical}`
  return typed === canonical ? 'Valid domain.' : `Becomes ${canonical}`
}

const MAX_SITES = 50

/** What is known of a name while it is typed; plan and creation decide. */
interface NameUse {
  /** Why it is not available. */
  taken?: string
  /** Where else it exists, as information. */
  also?: string
}

/** Which sites have a name already, with or without `www.`. */
function useName(domain: string | undefined, server_id: number | undefined): NameUse {
  const apex = domain === undefined ? '' : apexOf(domain)
  const { data, isPlaceholderData } = useQuery({
    ...typedSitesQuery(apex, { most: MAX_SITES, pause_ms: 300 }),
    enabled: apex !== '',
  })
  if (!data || isPlaceholderData || apex === '') return {}
  return nameUse(
    data.sites.filter((site) => apexOf(site.domain) === apex),
    server_id,
  )
}

function nameUse(named: readonly FleetSite[], server_id: number | undefined): NameUse {
  const holder = named.find((site) => site.managed || site.server_id === server_id)
  if (holder?.status === 'trashed')
    return {
      taken: `${unicodeOf(holder.domain)} is in the trash of ${holder.server}: restore it, or delete it permanently`,
    }
  if (holder) return { taken: `The domain is already taken by a site on ${holder.server}` }
  const servers = named.map(({ server }) => server).join(', ')
  return servers === '' ? {} : { also: `A site with this name was found on ${servers}.` }
}
