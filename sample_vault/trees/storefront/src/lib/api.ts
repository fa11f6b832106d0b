const BASE = process.env.PAYMENTS_URL ?? "http://localhost:8700";

export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
  ) {
    super(`${status} ${code}`);
  }
}

/** Reads; asks a second time when the network failed, because reading twice does no harm. */
export async function get<T>(path: string): Promise<T> {
  try {
    return await call<T>("GET", path);
  } catch (error) {
    if (error instanceof ApiError) throw error;
    return call<T>("GET", path);
  }
}

/** Writes once; the caller decides what a failure means. */
export function post<T>(path: string, body: unknown, idempotencyKey: string): Promise<T> {
  return call<T>("POST", path, body, { "Idempotency-Key": idempotencyKey });
}

async function call<T>(
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<T> {
  const response = await fetch(BASE + path, {
    method,
    headers: { "Content-Type": "application/json", ...headers },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  if (!response.ok) {
    const { detail } = await response.json();
    throw new ApiError(response.status, detail);
  }
  return response.json() as Promise<T>;
}
