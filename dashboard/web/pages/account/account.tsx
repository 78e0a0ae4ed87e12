import { Page } from '../../ui/page.tsx'
import { Skeleton } from '../../ui/states.tsx'

export function AccountPage() {
  return (
    <Page title="Account">
      <Skeleton />
    </Page>
  )
}
