import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { LogOut } from 'lucide-react'
import { signOutEverywhere } from '#dashboard/web/api/account.ts'
import { Button } from '#dashboard/web/ui/button.tsx'
import { Confirm } from '#dashboard/web/ui/confirm.tsx'
import { useDialog } from '#dashboard/web/ui/dialog.tsx'
import { Card } from '#dashboard/web/ui/page.tsx'

/** Sign-out on every device. */
export function Sessions() {
  const { dialog, show } = useDialog()
  const navigate = useNavigate()
  const client = useQueryClient()
  const confirm = async () => {
    await signOutEverywhere()
    await navigate({ to: '/login' })
    client.clear()
  }
  return (
    <Card title="Sessions">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <p className="max-w-prose text-muted">
          Signs you out in every browser, this one too, and ends all API tokens.
        </p>
        <Button icon={<LogOut />} onClick={show}>
          Sign out everywhere
        </Button>
      </div>
      <Confirm
        {...dialog}
        title="Sign out everywhere?"
        action="Sign out everywhere"
        onConfirm={confirm}
      >
        All your sessions and API tokens end at once. Scripts that use a token are refused until
        they have a new one.
      </Confirm>
    </Card>
  )
}
