# SPDX-License-Identifier: Apache-2.0
"""One host of a ring of plain sockets: sends to the next while it receives from the one before. Prints bytes per second.
    ring.py MINE NEXT BYTES"""
import socket
import sys
import threading
import time

PORT = 4321
mine, following, total = sys.argv[1], sys.argv[2], int(sys.argv[3])
chunk = bytes(1 << 20)
server = socket.create_server((mine, PORT))


def connect():
    while True:
        try:
            return socket.create_connection((following, PORT), timeout=1)
        except OSError:
            time.sleep(0.02)


def send(out):
    out.settimeout(None)
    for _ in range(total // len(chunk)):
        out.sendall(chunk)


out = connect()
source, _ = server.accept()
sender = threading.Thread(target=send, args=(out,))
start, got, counted = time.monotonic(), 0, 0
sender.start()
begin = None
while got < total // len(chunk) * len(chunk):
    part = source.recv(1 << 20)
    if not part:
        break
    got += len(part)
    if begin is None and got > len(chunk):  # after the bucket's first burst and TCP's slow start
        begin, counted = time.monotonic(), got
print((got - counted) / (time.monotonic() - begin))
sender.join()
