import { Page } from '../../ui/page.tsx'
import { Skeleton } from '../../ui/states.tsx'

export function OperationPage() {
  return (
    <Page title="Operation">
      <Skeleton />
    </Page>
  )
}
