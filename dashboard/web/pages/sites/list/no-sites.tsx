import { Globe, SearchX } from 'lucide-react'
import { Button, ButtonLink } from '#dashboard/web/ui/button.tsx'
import { Empty } from '#dashboard/web/ui/states.tsx'

export function NoSites({ isNarrowed, onClear }: { isNarrowed: boolean; onClear: () => void }) {
  if (isNarrowed)
    return (
      <Empty
        icon={<SearchX />}
        title="No site matches"
        action={<Button onClick={onClear}>Clear filters</Button>}
      >
        No site matches all filters. Part of a domain or of a system user is enough.
      </Empty>
    )
  return (
    <Empty
      icon={<Globe />}
      title="No sites yet"
      action={
        <ButtonLink to="/sites/new" kind="primary">
          Create the first site
        </ButtonLink>
      }
    >
      Sites that you create appear here, and those that an agent finds on its server when it is
      added.
    </Empty>
  )
}
