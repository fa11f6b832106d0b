// This file was installed by memtui; `memtui uninstall opencode` removes it.
// It asks memtui at the events of a session. Nothing that goes wrong here reaches OpenCode.
import { spawn } from "node:child_process"

const COMMAND = __COMMAND__
const OPTIONS = __OPTIONS__
const LIMIT_MS = __LIMIT_MS__
const EVENTS = new Set(__EVENTS__)

function ask(event, payload) {
  if (!EVENTS.has(event)) return Promise.resolve({})
  return new Promise((resolve) => {
    let timer
    const finish = (answer) => {
      clearTimeout(timer)
      resolve(answer)
    }
    try {
      const words = [...COMMAND.slice(1), "hook", event, "--assistant", "opencode", ...OPTIONS]
      const child = spawn(COMMAND[0], words, { cwd: payload.cwd, stdio: ["pipe", "pipe", "ignore"] })
      timer = setTimeout(() => {
        child.kill("SIGKILL")
        finish({})
      }, LIMIT_MS)
      const chunks = []
      child.on("error", () => finish({}))
      child.stdin.on("error", () => {})
      child.stdout.on("data", (chunk) => chunks.push(chunk))
      child.on("close", () => finish(answerOf(Buffer.concat(chunks).toString("utf8"))))
      child.stdin.end(JSON.stringify({ ...payload, hook_event_name: event }))
    } catch {
      finish({})
    }
  })
}

function answerOf(text) {
  if (!text.trim()) return {}
  try {
    const answer = JSON.parse(text)
    const specific = answer.hookSpecificOutput ?? answer
    return {
      text: specific.additionalContext ?? "",
      denied: specific.permissionDecision === "deny" ? (specific.permissionDecisionReason ?? "Denied by memtui") : "",
    }
  } catch {
    return {}
  }
}

export const Memtui = async ({ directory }) => {
  const standing = new Map() // by session: the same text at each request, or the provider's prompt cache is lost
  const subagents = new Set()
  const about = (sessionID, more = {}) => ({ session_id: sessionID, cwd: directory, ...more })
  const isServed = (sessionID) => sessionID && !subagents.has(sessionID)
  return {
    event: async ({ event }) => {
      if (event.type === "session.created" && event.properties?.info?.parentID) subagents.add(event.properties.info.id)
      if (event.type === "session.idle" && isServed(event.properties?.sessionID))
        await ask("session.idle", about(event.properties.sessionID))
    },
    "experimental.chat.system.transform": async (input, output) => {
      const isTitle = output.system.some((text) => text.startsWith("You are a title generator"))
      if (isTitle || !isServed(input.sessionID)) return
      if (!standing.has(input.sessionID))
        standing.set(input.sessionID, ask("experimental.chat.system.transform", about(input.sessionID)))
      const { text } = await standing.get(input.sessionID)
      if (text) output.system.push(text)
    },
    "chat.message": async (input, output) => {
      if (!isServed(input.sessionID)) return
      const prompt = output.parts.filter((part) => part.type === "text" && !part.synthetic).map((part) => part.text)
      const { text } = await ask("chat.message", about(input.sessionID, { prompt: prompt.join("\n") }))
      const id = `prt_memtui${Date.now().toString(36)}${Math.random().toString(36).slice(2, 8)}`
      const place = { id, sessionID: input.sessionID, messageID: output.message.id }
      if (text) output.parts.push({ ...place, type: "text", text, synthetic: true })
    },
    "tool.execute.before": async (input, output) => {
      if (input.tool !== "bash" || !isServed(input.sessionID)) return
      const more = { tool_name: input.tool, tool_input: output.args }
      const { denied } = await ask("tool.execute.before", about(input.sessionID, more))
      if (denied) throw new Error(denied)
    },
    "tool.execute.after": async (input, output) => {
      if (!["read", "edit", "write", "apply_patch"].includes(input.tool) || !isServed(input.sessionID)) return
      const more = { tool_name: input.tool, tool_input: input.args }
      const { text } = await ask("tool.execute.after", about(input.sessionID, more))
      if (text) output.output += `\n\n${text}`
    },
  }
}
