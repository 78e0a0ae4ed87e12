import { Compass } from 'lucide-react'
import { ButtonLink } from './button.tsx'
import { Page } from './page.tsx'
import { Empty } from './states.tsx'

export function NotFound() {
  return (
    <Page title="Page not found">
      <Empty
        icon={<Compass />}
        title="There is no page at this address"
        action={
          <ButtonLink to="/" kind="primary">
            Go to overview
          </ButtonLink>
        }
      >
        The address may be wrong, or what it led to has been deleted.
      </Empty>
    </Page>
  )
}
