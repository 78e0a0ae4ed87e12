import type { TabProps } from '#dashboard/web/pages/sites/detail/tabs.tsx'
import { JobsCard } from './jobs-card.tsx'
import { WordpressCard } from './wordpress-card.tsx'
import { XmlrpcCard } from './xmlrpc-card.tsx'

export function WordpressTab({ site, isThere }: TabProps) {
  return (
    <>
      <WordpressCard site={site} isThere={isThere} />
      {isThere && !site.found && (
        <>
          <XmlrpcCard site={site} />
          <JobsCard site={site} />
        </>
      )}
    </>
  )
}
