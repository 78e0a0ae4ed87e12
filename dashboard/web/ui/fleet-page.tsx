import type { ReactNode } from 'react'
import { Page } from './page.tsx'
import { Restricted, useMay } from './rights.tsx'

interface FleetPageProps {
  title: string
  /** What the page shows, such as `see people`. */
  what: string
  children: ReactNode
}

/** Shows a page about the whole fleet, or says that it is one to somebody who may not see it. */
export function FleetPage({ title, what, children }: FleetPageProps) {
  const may = useMay()
  if (may('read', 'fleet')) return children
  return (
    <Page title={title}>
      <Restricted to="read" what={what} where="fleet">
        {children}
      </Restricted>
    </Page>
  )
}
