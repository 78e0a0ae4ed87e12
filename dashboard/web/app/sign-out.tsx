import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { signOut } from '#dashboard/web/api/session.ts'
import { Confirm } from '#dashboard/web/ui/confirm.tsx'
import type { DialogState } from '#dashboard/web/ui/dialog.tsx'

/** Asks for confirmation, because the button is next to others. */
export function SignOut(dialog: DialogState) {
  const navigate = useNavigate()
  const client = useQueryClient()
  const confirm = async () => {
    await signOut()
    await navigate({ to: '/login' })
    client.clear()
  }
  return (
    <Confirm {...dialog} title="Sign out?" action="Sign out" onConfirm={confirm}>
      Running operations continue without you.
    </Confirm>
  )
}
