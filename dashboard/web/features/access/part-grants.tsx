import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { PART_TEXTS, placeText } from '#dashboard/web/labels/role.ts'
import { ServerLink, SiteLink } from '#dashboard/web/ui/record-links.tsx'
import type { HeldPartGrant } from '#shared/access/api/accounts.ts'

interface PartGrantsProps {
  parts: readonly HeldPartGrant[]
  /** Whether the places are links; a visitor without an account cannot open them. */
  isLinked?: boolean
}

/** What an account may do on parts of the fleet, one line for each grant. */
export function PartGrants({ parts, isLinked = true }: PartGrantsProps) {
  return (
    <ul className="flex flex-col gap-1">
      {parts.map((part) => (
        <li key={JSON.stringify(part)} className="wrap-anywhere">
          {PART_TEXTS[part.gives].name} on{' '}
          {isLinked ? <PlaceLink part={part}>{placeText(part)}</PlaceLink> : placeText(part)}
        </li>
      ))}
    </ul>
  )
}

const LINK = 'font-medium text-accent hover:underline'

function PlaceLink({ part, children }: { part: HeldPartGrant; children: ReactNode }) {
  const { tag, server_id, site_id } = part
  const props = { className: LINK, children }
  if (site_id !== null) return <SiteLink id={site_id} {...props} />
  if (server_id !== null) return <ServerLink id={server_id} {...props} />
  return <Link to="/servers" search={{ tag: tag ?? '' }} {...props} />
}
