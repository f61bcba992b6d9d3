// SPDX-License-Identifier: Apache-2.0
// Messages are built, written and read; then one comes with very many fields that nobody knows.
import com.google.protobuf.*;

public class ProtobufUnknown {
    static long known(int count) throws Exception {
        long size = 0;
        for (int i = 0; i < count; i++) {
            Struct.Builder map = Struct.newBuilder();
            for (int j = 0; j < 30; j++)
                map.putFields("key" + j, Value.newBuilder().setNumberValue(j * i).build());
            byte[] bytes = map.build().toByteArray();
            Struct back = Struct.parseFrom(bytes);
            size += bytes.length + back.toString().length() + TextFormat.shortDebugString(back).length()
                + Any.pack(back).getValue().size() + back.hashCode() % 3 + back.toBuilder().clearFields().build().getSerializedSize()
                + Timestamp.newBuilder().setSeconds(i).build().toByteString().size() + Duration.getDefaultInstance().getSerializedSize();
        }
        return size;
    }

    public static void main(String[] arguments) throws Exception {
        System.out.println(known(900));
        byte[] bytes = new byte[44_000];
        for (int i = 0; i < bytes.length; i += 4) {
            bytes[i] = 8;
            bytes[i + 1] = 1;
            bytes[i + 2] = 16;
            bytes[i + 3] = 1;
        }
        long fields = 0;
        for (int turn = 0; turn < 3; turn++)
            fields += UnknownFieldSet.parseFrom(bytes).asMap().size();
        System.out.println(fields);
    }
}
